------------------------------ MODULE transfer ------------------------------
(***************************************************************************)
(* The family `transfer`, by hand: three brokers hand one unit around by   *)
(* unloads and transfers over the channel on the system topic.  The rules  *)
(* are those of the research note's sections 3 (resolver R4 to R8), 5 (who *)
(* publishes what) and 6 (handlers).  Nothing crashes, nobody forces a     *)
(* record, so that every broker reads from the start to the end.           *)
(***************************************************************************)
EXTENDS Naturals, Sequences, FiniteSets, TLC

CONSTANTS Transfers, Unloads, \* how many of each may be commanded
          Window,             \* how many records the slowest broker may lag behind
          Versions            \* the highest version; to need more is an error

Brokers == 1 .. 3
Nobody == 0
States == {"Free", "Owned", "Assigning", "Releasing"}
Records == [state : States, destination : Brokers \cup {Nobody}, source : Brokers \cup {Nobody}, version : 1 .. Versions]
Publishes == [record : Records, basis : Records]

VARIABLES base,      \* the fold of all records that every broker has consumed
          log,       \* the others
          cursor,    \* [broker] how many records of log it has consumed
          view,      \* [broker] the record that it holds
          outbox,    \* [broker] at most one publish under way, with the view that it was computed from
          closing,   \* [broker] at most one record on whose behalf the topics are being closed
          serving,   \* the brokers whose topics are open
          unloads, transfers,          \* what is left of the budgets
          won, tainted, poisoned       \* ghosts: versions that won; a gap was accepted; a handler had no case

vars == <<base, log, cursor, view, outbox, closing, serving, unloads, transfers, won, tainted, poisoned>>

Record(state, destination, source, version) ==
    [state |-> state, destination |-> destination, source |-> source, version |-> version]
Owner(r) == IF r.state = "Owned" THEN r.destination ELSE Nobody

-----------------------------------------------------------------------------
(* The resolver. *)

SameBrokers(held, r) == r.destination = held.destination /\ r.source = held.source

Lawful(held, r) ==
    CASE held.state = "Owned" /\ r.state = "Releasing" ->
            r.source # Nobody /\ r.source = held.destination /\ r.destination # held.destination
      [] held.state = "Assigning" /\ r.state = "Owned" -> SameBrokers(held, r)
      [] held.state = "Releasing" /\ r.state = "Assigning" -> r.destination # Nobody /\ SameBrokers(held, r)
      [] held.state = "Releasing" /\ r.state = "Free" -> SameBrokers(held, r)
      [] held.state = "Free" /\ r.state = "Assigning" -> r.destination # Nobody /\ r.source = Nobody
      [] OTHER -> FALSE

InTurn(held, r) == r.version = held.version + 1

Accepts(held, r) ==
    /\ held.version < r.version
    /\ InTurn(held, r) => Lawful(held, r)  \* behind a gap anything is accepted

Folded(held, r) == IF Accepts(held, r) THEN r ELSE held

RECURSIVE Consumed(_)
Consumed(count) == IF count = 0 THEN base ELSE Folded(Consumed(count - 1), log[count])

Entry == Consumed(Len(log))

-----------------------------------------------------------------------------
(* What brokers do. *)

Init ==
    /\ base = Record("Owned", 1, Nobody, 2)
    /\ log = <<>>
    /\ cursor = [b \in Brokers |-> 0]
    /\ view = [b \in Brokers |-> base]
    /\ outbox = [b \in Brokers |-> <<>>]
    /\ closing = [b \in Brokers |-> <<>>]
    /\ serving = {1}
    /\ unloads = Unloads
    /\ transfers = Transfers
    /\ won = {1, 2}
    /\ tainted = FALSE
    /\ poisoned = FALSE

Publish(b, r, basis) ==
    /\ outbox[b] = <<>>
    /\ outbox' = [outbox EXCEPT ![b] = <<[record |-> r, basis |-> basis]>>]

GiveUp(b, destination) ==
    /\ view[b].state = "Owned"
    /\ Publish(b, Record("Releasing", destination, Owner(view[b]), view[b].version + 1), view[b])

Unload(b) ==
    /\ unloads > 0
    /\ GiveUp(b, Nobody)
    /\ unloads' = unloads - 1
    /\ UNCHANGED <<base, log, cursor, view, closing, serving, transfers, won, tainted, poisoned>>

Transfer(b, destination) ==
    /\ transfers > 0
    /\ Owner(view[b]) # destination
    /\ GiveUp(b, destination)
    /\ transfers' = transfers - 1
    /\ UNCHANGED <<base, log, cursor, view, closing, serving, unloads, won, tainted, poisoned>>

\* Laws of a step, of a record that the channel accepts.  Asserted where the step is taken: as action
\* properties, [][...]_vars, they would cost TLC twice the time.
Judged(p, held) ==
    /\ Assert(InTurn(held, p.record), "version-chain")
    /\ Assert(InTurn(held, p.record) => Lawful(held, p.record), "legal-step")
    /\ Assert(p.record.version \notin won, "unique-winner")
    /\ Assert(p.basis = held, "accepted-is-cas")

AppendFirst(b) ==
    /\ outbox[b] # <<>>
    /\ Len(log) < Window
    /\ LET r == outbox[b][1].record
           held == Entry
           accepted == Accepts(held, r)
       IN  /\ accepted => Judged(outbox[b][1], held)
           /\ log' = Append(log, r)
           /\ won' = IF accepted THEN won \cup {r.version} ELSE won
           /\ tainted' = (tainted \/ (accepted /\ ~InTurn(held, r)))
    /\ outbox' = [outbox EXCEPT ![b] = <<>>]
    /\ UNCHANGED <<base, cursor, view, closing, serving, unloads, transfers, poisoned>>

\* What the source of a Releasing record publishes when it no longer serves the unit.
Released(r) ==
    Record(IF r.destination = Nobody THEN "Free" ELSE "Assigning", r.destination, r.source, r.version + 1)

\* What broker b owes once its view accepts r.
Handle(b, r) ==
    CASE r.state = "Assigning" /\ r.destination = b ->
            Publish(b, [r EXCEPT !.state = "Owned", !.version = @ + 1], r) /\ UNCHANGED closing
      [] r.state = "Releasing" /\ r.source = b /\ b \notin serving ->
            Publish(b, Released(r), r) /\ UNCHANGED closing
      [] r.state \in {"Releasing", "Owned"} /\ r.source = b /\ b \in serving /\ (r.state = "Owned" => r.destination # b) ->
            closing[b] = <<>> /\ closing' = [closing EXCEPT ![b] = <<r>>] /\ UNCHANGED outbox
      [] OTHER -> UNCHANGED <<closing, outbox>>

\* The window moves on when everybody has consumed its first record.
Advance(cursors) ==
    IF \A b \in Brokers : cursors[b] > 0
    THEN /\ base' = Folded(base, Head(log))
         /\ log' = Tail(log)
         /\ cursor' = [b \in Brokers |-> cursors[b] - 1]
    ELSE cursor' = cursors /\ UNCHANGED <<base, log>>

Consume(b) ==
    /\ cursor[b] < Len(log)
    /\ LET r == log[cursor[b] + 1]
       IN  IF Accepts(view[b], r)
           THEN /\ view' = [view EXCEPT ![b] = r]
                /\ Handle(b, r)
                /\ poisoned' = (poisoned \/ r.state \notin States)
           ELSE UNCHANGED <<view, outbox, closing, poisoned>>
    /\ Advance([cursor EXCEPT ![b] = @ + 1])
    /\ UNCHANGED <<serving, unloads, transfers, won, tainted>>

Open(b) ==
    /\ b \notin serving
    /\ Owner(view[b]) = b
    /\ serving' = serving \cup {b}
    /\ UNCHANGED <<base, log, cursor, view, outbox, closing, unloads, transfers, won, tainted, poisoned>>

Close(b) ==
    /\ closing[b] # <<>>
    /\ LET r == closing[b][1]
       IN  IF r.state = "Releasing" THEN Publish(b, Released(r), r) ELSE UNCHANGED outbox
    /\ closing' = [closing EXCEPT ![b] = <<>>]
    /\ serving' = serving \ {b}
    /\ UNCHANGED <<base, log, cursor, view, unloads, transfers, won, tainted, poisoned>>

Next ==
    \E b \in Brokers :
        \/ Unload(b)
        \/ \E destination \in Brokers : Transfer(b, destination)
        \/ AppendFirst(b)
        \/ Consume(b)
        \/ Open(b)
        \/ Close(b)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* Laws of a state. *)

TypeOK ==
    /\ base \in Records
    /\ \A n \in 1 .. Len(log) : log[n] \in Records
    /\ Len(log) <= Window
    /\ cursor \in [Brokers -> 0 .. Len(log)]
    /\ view \in [Brokers -> Records]
    /\ \A b \in Brokers : outbox[b] = <<>> \/ (Len(outbox[b]) = 1 /\ outbox[b][1] \in Publishes)
    /\ \A b \in Brokers : closing[b] = <<>> \/ (Len(closing[b]) = 1 /\ closing[b][1] \in Records)
    /\ serving \subseteq Brokers
    /\ unloads \in 0 .. Unloads
    /\ transfers \in 0 .. Transfers
    /\ won \subseteq 1 .. Versions
    /\ tainted \in BOOLEAN
    /\ poisoned = FALSE

ViewIsPrefixFold == \A b \in Brokers : view[b] = Consumed(cursor[b])

OneOwner == \A a, b \in Brokers : cursor[a] = cursor[b] => Owner(view[a]) = Owner(view[b])

ServeImpliesView == \A b \in serving : Owner(view[b]) = b \/ closing[b] # <<>>

SingleServerAlways == Cardinality(serving) <= 1

SingleServer == tainted \/ SingleServerAlways

Quiet == \A b \in Brokers : outbox[b] = <<>> /\ closing[b] = <<>> /\ cursor[b] = Len(log)

QuiescentAgreement == Quiet => \A b \in serving : Owner(Entry) = b

=============================================================================

//! The family `transfer`, by hand: three brokers, one unit that broker 1 owns, unloads and transfers.
//!
//! The rules are those of the research note's sections 3 (resolver R4 to R8), 5 (who publishes what) and 6
//! (handlers). `transfer TRANSFERS UNLOADS WINDOW VERSIONS THREADS` prints what was found; exit code 1 if a law fails.

use stateright::{Checker, Model, Property};

const BROKERS: usize = 3;
const WINDOW: usize = 4; // the widest that a state has room for

/// 1 to 3; 0 is nobody.
type Broker = u16;
const NOBODY: Broker = 0;

#[derive(Clone, Copy, PartialEq)]
enum Status {
    Free = 1,
    Owned = 2,
    Assigning = 3,
    Releasing = 4,
}
use Status::*;

/// Version, source (2 bits), destination (2 bits), status (3 bits); `NOTHING` is no record.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
struct Record(u16);
const NOTHING: Record = Record(0);

impl Record {
    fn new(status: Status, destination: Broker, source: Broker, version: u16) -> Self {
        Record(version << 7 | source << 5 | destination << 3 | status as u16)
    }
    fn is(self, status: Status) -> bool {
        self.0 & 7 == status as u16
    }
    fn destination(self) -> Broker {
        self.0 >> 3 & 3
    }
    fn source(self) -> Broker {
        self.0 >> 5 & 3
    }
    fn brokers(self) -> u16 {
        self.0 >> 3 & 15
    }
    fn version(self) -> u16 {
        self.0 >> 7
    }
    fn owner(self) -> Broker {
        if self.is(Owned) { self.destination() } else { NOBODY }
    }
    /// The same brokers, the next version.
    fn followed_by(self, status: Status) -> Self {
        Record::new(status, self.destination(), self.source(), self.version() + 1)
    }
    /// What the source of a Releasing record publishes when it no longer serves the unit.
    fn released(self) -> Self {
        self.followed_by(if self.destination() == NOBODY { Free } else { Assigning })
    }

    // The resolver: behind a gap anything is accepted (R5), in turn what table and brokers allow (R7, R8).

    fn accepts(self, next: Record) -> bool {
        self.version() < next.version() && (!self.precedes(next) || self.allows(next))
    }
    fn precedes(self, next: Record) -> bool {
        next.version() == self.version() + 1
    }
    fn allows(self, next: Record) -> bool {
        let same = next.brokers() == self.brokers();
        if self.is(Owned) && next.is(Releasing) {
            next.source() != NOBODY
                && next.source() == self.destination()
                && next.destination() != self.destination()
        } else if self.is(Assigning) && next.is(Owned) {
            same
        } else if self.is(Releasing) && next.is(Assigning) {
            same && next.destination() != NOBODY
        } else if self.is(Releasing) && next.is(Free) {
            same
        } else if self.is(Free) && next.is(Assigning) {
            next.destination() != NOBODY && next.source() == NOBODY
        } else {
            false
        }
    }
    fn folded(self, next: Record) -> Record {
        if self.accepts(next) { next } else { self }
    }
}

/// A law of a step is judged in the step; the state then remembers which one failed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
enum Broken {
    None,
    Versions,
    VersionChain,
    UniqueWinner,
    LegalStep,
    AcceptedIsCas,
}

/// Arrays count brokers from 0; broker numbers in records count from 1.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct State {
    /// The fold of all records that every broker has consumed.
    base: Record,
    /// The others.
    log: [Record; WINDOW],
    view: [Record; BROKERS],
    outbox: [Record; BROKERS],
    /// The view that the publish was computed from.
    basis: [Record; BROKERS],
    /// The record on whose behalf the topics are being closed.
    closing: [Record; BROKERS],
    /// Ghost: the versions of which a record was accepted, as bits.
    won: u32,
    length: u8,
    /// How many records of the log a broker has consumed.
    cursor: [u8; BROKERS],
    serving: [bool; BROKERS],
    unloads: u8,
    transfers: u8,
    /// Ghost: a record behind a gap was accepted.
    tainted: bool,
    /// Ghost: a handler met a record that it has no case for.
    poisoned: bool,
    broken: Broken,
}

impl State {
    fn consumed(&self, count: u8) -> Record {
        self.log[..count as usize].iter().fold(self.base, |held, &next| held.folded(next))
    }
    fn entry(&self) -> Record {
        self.consumed(self.length)
    }
    fn servers(&self) -> usize {
        self.serving.iter().filter(|&&serves| serves).count()
    }
    fn is_quiet(&self) -> bool {
        (0..BROKERS).all(|b| {
            self.outbox[b] == NOTHING && self.closing[b] == NOTHING && self.cursor[b] == self.length
        })
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Step {
    Unload(usize),
    Transfer(usize, Broker),
    Append(usize),
    Consume(usize),
    Open(usize),
    Close(usize),
}
use Step::*;

struct Transfers {
    transfers: u8,
    unloads: u8,
    window: u8,
    versions: u16,
}

impl Transfers {
    fn publish(&self, state: &mut State, b: usize, record: Record, basis: Record) -> Option<()> {
        if state.outbox[b] != NOTHING {
            return None;
        }
        if record.version() > self.versions {
            state.broken = Broken::Versions; // the bound is too small
        }
        state.outbox[b] = record;
        state.basis[b] = basis;
        Some(())
    }

    fn give_up(&self, state: &mut State, b: usize, destination: Broker) -> Option<()> {
        let held = state.view[b];
        if !held.is(Owned) {
            return None;
        }
        let release = Record::new(Releasing, destination, held.owner(), held.version() + 1);
        self.publish(state, b, release, held)
    }

    /// The linearisation point, where the laws of an accepted record are judged.
    fn append(&self, state: &mut State, b: usize) -> Option<()> {
        let record = state.outbox[b];
        if record == NOTHING || state.length == self.window {
            return None;
        }
        let held = state.entry();
        state.log[state.length as usize] = record;
        state.length += 1;
        if held.accepts(record) {
            let version = 1 << record.version();
            state.broken = if !held.precedes(record) {
                Broken::VersionChain
            } else if !held.allows(record) {
                Broken::LegalStep
            } else if state.won & version != 0 {
                Broken::UniqueWinner
            } else if state.basis[b] != held {
                Broken::AcceptedIsCas
            } else {
                Broken::None
            };
            state.won |= version;
            state.tainted |= !held.precedes(record);
        }
        state.outbox[b] = NOTHING;
        state.basis[b] = NOTHING;
        Some(())
    }

    fn consume(&self, state: &mut State, b: usize) -> Option<()> {
        if state.cursor[b] == state.length {
            return None;
        }
        let record = state.log[state.cursor[b] as usize];
        state.cursor[b] += 1;
        if state.view[b].accepts(record) {
            state.view[b] = record;
            self.handle(state, b, record)?;
        }
        if state.cursor.iter().all(|&cursor| cursor > 0) {
            // Everybody has consumed the first record: forget it.
            state.base = state.base.folded(state.log[0]);
            state.log.rotate_left(1);
            state.log[WINDOW - 1] = NOTHING;
            state.length -= 1;
            state.cursor.iter_mut().for_each(|cursor| *cursor -= 1);
        }
        Some(())
    }

    /// What broker b owes once its view accepts a record.
    fn handle(&self, state: &mut State, b: usize, record: Record) -> Option<()> {
        let me = b as Broker + 1;
        if record.is(Assigning) {
            if record.destination() == me {
                self.publish(state, b, record.followed_by(Owned), record)?;
            }
        } else if record.is(Releasing) && record.source() == me && !state.serving[b] {
            self.publish(state, b, record.released(), record)?;
        } else if record.is(Releasing) || record.is(Owned) {
            let loses = record.is(Releasing) || record.destination() != me;
            if record.source() == me && loses && state.serving[b] {
                if state.closing[b] != NOTHING {
                    return None;
                }
                state.closing[b] = record;
            }
        } else if !record.is(Free) {
            state.poisoned = true;
        }
        Some(())
    }

    fn close(&self, state: &mut State, b: usize) -> Option<()> {
        let record = state.closing[b];
        if record == NOTHING {
            return None;
        }
        state.closing[b] = NOTHING;
        state.serving[b] = false;
        if record.is(Releasing) {
            self.publish(state, b, record.released(), record)?;
        }
        Some(())
    }
}

impl Model for Transfers {
    type State = State;
    type Action = Step;

    fn init_states(&self) -> Vec<State> {
        let owned = Record::new(Owned, 1, NOBODY, 2);
        vec![State {
            base: owned,
            log: [NOTHING; WINDOW],
            view: [owned; BROKERS],
            outbox: [NOTHING; BROKERS],
            basis: [NOTHING; BROKERS],
            closing: [NOTHING; BROKERS],
            won: 1 << 1 | 1 << 2,
            length: 0,
            cursor: [0; BROKERS],
            serving: [true, false, false],
            unloads: self.unloads,
            transfers: self.transfers,
            tainted: false,
            poisoned: false,
            broken: Broken::None,
        }]
    }

    /// Only what is enabled but for the room that a publish or a close needs.
    fn actions(&self, state: &State, actions: &mut Vec<Step>) {
        if state.broken != Broken::None {
            return;
        }
        for b in 0..BROKERS {
            if state.view[b].is(Owned) && state.outbox[b] == NOTHING {
                if state.unloads > 0 {
                    actions.push(Unload(b));
                }
                if state.transfers > 0 {
                    let others = (1..=BROKERS as Broker).filter(|&d| d != state.view[b].owner());
                    actions.extend(others.map(|destination| Transfer(b, destination)));
                }
            }
            if state.outbox[b] != NOTHING && state.length < self.window {
                actions.push(Append(b));
            }
            if state.cursor[b] < state.length {
                actions.push(Consume(b));
            }
            if !state.serving[b] && state.view[b].owner() == b as Broker + 1 {
                actions.push(Open(b));
            }
            if state.closing[b] != NOTHING {
                actions.push(Close(b));
            }
        }
    }

    fn next_state(&self, before: &State, action: Step) -> Option<State> {
        let mut state = before.clone();
        match action {
            Unload(b) => {
                state.unloads -= 1;
                self.give_up(&mut state, b, NOBODY)
            }
            Transfer(b, destination) => {
                state.transfers -= 1;
                self.give_up(&mut state, b, destination)
            }
            Append(b) => self.append(&mut state, b),
            Consume(b) => self.consume(&mut state, b),
            Open(b) => {
                state.serving[b] = true;
                Some(())
            }
            Close(b) => self.close(&mut state, b),
        }?;
        Some(state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always("type-ok", |model: &Self, s: &State| {
                !s.poisoned
                    && s.broken != Broken::Versions
                    && s.length <= model.window
                    && s.cursor.iter().all(|&cursor| cursor <= s.length)
            }),
            Property::always("view-is-prefix-fold", |_, s: &State| {
                (0..BROKERS).all(|b| s.view[b] == s.consumed(s.cursor[b]))
            }),
            Property::always("version-chain", |_, s: &State| s.broken != Broken::VersionChain),
            Property::always("legal-step", |_, s: &State| s.broken != Broken::LegalStep),
            Property::always("unique-winner", |_, s: &State| s.broken != Broken::UniqueWinner),
            Property::always("accepted-is-cas", |_, s: &State| s.broken != Broken::AcceptedIsCas),
            Property::always("one-owner", |_, s: &State| {
                (0..BROKERS).all(|a| {
                    (a + 1..BROKERS)
                        .all(|b| s.cursor[a] != s.cursor[b] || s.view[a].owner() == s.view[b].owner())
                })
            }),
            Property::always("serve-implies-view", |_, s: &State| {
                (0..BROKERS).all(|b| {
                    !s.serving[b] || s.view[b].owner() == b as Broker + 1 || s.closing[b] != NOTHING
                })
            }),
            Property::always("single-server", |_, s: &State| s.tainted || s.servers() <= 1),
            Property::always("single-server-always", |_, s: &State| s.servers() <= 1),
            Property::always("quiescent-agreement", |_, s: &State| {
                !s.is_quiet()
                    || (0..BROKERS).all(|b| !s.serving[b] || s.entry().owner() == b as Broker + 1)
            }),
        ]
    }
}

fn main() {
    let given: Vec<u16> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    let [transfers, unloads, window, versions, threads] = given[..] else {
        eprintln!("usage: transfer TRANSFERS UNLOADS WINDOW VERSIONS THREADS");
        std::process::exit(2);
    };
    if window as usize > WINDOW || versions > 30 {
        eprintln!("bounds refused: window {window}, versions {versions}; {WINDOW} and 30 are the most");
        std::process::exit(2);
    }
    let model = Transfers { transfers: transfers as u8, unloads: unloads as u8, window: window as u8, versions };
    let checker = model.checker().threads(threads as usize).spawn_bfs().join();
    for (law, path) in checker.discoveries() {
        println!("law {law} is broken: {:?}", path.into_actions());
    }
    // It counts the initial state as generated, and calls its depth 1.
    println!(
        "states {} transitions {} depth {}",
        checker.unique_state_count(),
        checker.state_count() - 1,
        checker.max_depth() - 1
    );
    std::process::exit(i32::from(!checker.discoveries().is_empty()));
}

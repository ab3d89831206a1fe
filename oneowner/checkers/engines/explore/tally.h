/*
 * What a thread counts and finds; the sum over all threads does not depend on how many there are.
 *
 * Of several counterexamples the least counts: fewest steps, then fewest perturbations, then the one that comes first
 * in the order of the search.
 */

#define CHECKS (STATE_LAWS + STEP_CHECKS)

typedef struct {
    uint64_t exercised;
    int broken, depth, perturbations, action; /* action -1: the state itself */
    uint32_t state;
} Outcome;

typedef struct {
    _Alignas(64) uint64_t transitions, terminal, fired[ACTIONS + 1]; /* no other thread writes to these cache lines */
    uint64_t represented; /* states, where one stands for its orbit */
    Outcome outcomes[CHECKS + 1];
    int bound, bound_step, bound_action; /* the first bound that was used up; step 0: none was */
    uint32_t bound_state;
    int is_outside;
} Tally;

static int comes_before(const Outcome *one, const Outcome *other)
{
    if (!one->broken || !other->broken)
        return one->broken;
    if (one->depth != other->depth)
        return one->depth < other->depth;
    if (one->perturbations != other->perturbations)
        return one->perturbations < other->perturbations;
    return one->state < other->state || (one->state == other->state && one->action < other->action);
}

/* Note what a law answers: 0 no occasion, 1 it holds, 2 it is broken. */
static inline void note(Outcome *outcome, int answer, int depth, uint32_t state, int action, const uint8_t *after)
{
    outcome->exercised += answer > 0;
    if (answer == 2 && !(outcome->broken && depth > outcome->depth)) {
        Outcome found = {outcome->exercised, 1, depth, perturbations(after), action, state};
        if (comes_before(&found, outcome))
            *outcome = found;
    }
}

static int is_earlier(const Tally *one, const Tally *other)
{
    if (!one->bound_step || !other->bound_step)
        return one->bound_step;
    return one->bound_state < other->bound_state ||
           (one->bound_state == other->bound_state && one->bound_action < other->bound_action);
}

static void note_bound(Tally *tally, int bound, int step, uint32_t state, int action)
{
    Tally found = {.bound = bound, .bound_step = step, .bound_state = state, .bound_action = action};
    if (is_earlier(&found, tally))
        tally->bound = bound, tally->bound_step = step, tally->bound_state = state, tally->bound_action = action;
}

static uint64_t total_transitions(const Tally *tallies, int count)
{
    uint64_t sum = 0;
    for (int i = 0; i < count; i++)
        sum += tallies[i].transitions;
    return sum;
}

static Outcome merged(const Tally *tallies, int count, int check)
{
    Outcome least = tallies[0].outcomes[check];
    uint64_t exercised = least.exercised;
    for (int i = 1; i < count; i++) {
        const Outcome *other = &tallies[i].outcomes[check];
        exercised += other->exercised;
        if (comes_before(other, &least))
            least = *other;
    }
    least.exercised = exercised;
    return least;
}

static Tally summed(const Tally *tallies, int count)
{
    Tally sum = tallies[0];
    for (int i = 1; i < count; i++) {
        sum.transitions += tallies[i].transitions;
        sum.terminal += tallies[i].terminal;
        sum.represented += tallies[i].represented;
        for (int action = 0; action < ACTIONS; action++)
            sum.fired[action] += tallies[i].fired[action];
        if (is_earlier(&tallies[i], &sum))
            note_bound(&sum, tallies[i].bound, tallies[i].bound_step, tallies[i].bound_state, tallies[i].bound_action);
    }
    for (int check = 0; check < CHECKS; check++)
        sum.outcomes[check] = merged(tallies, count, check);
    return sum;
}

/*
 * What the search says: where it stands, once a second on standard error; what it found, on standard output.
 */

static void report(double *last, uint64_t finished)
{
    double t = now(), left = 0;
    if (t - *last < 1)
        return;
    *last = t;
    if (finished)
        left = (t - level_started) / finished * (level_count - finished);
    fprintf(stderr, "%llu %llu %d %llu %llu %.1f %llu %.1f\n", (unsigned long long)distinct,
            (unsigned long long)total_transitions(tallies, 2 * members), depth, (unsigned long long)(level_count - finished),
            (unsigned long long)following_count, t - started, (unsigned long long)bytes(), left);
    fflush(stderr);
}

#ifdef CLASSES
static void print_names(uint32_t state, const int *steps, int count)
{
    uint8_t s[SLOTS + 1], t[SLOTS + 1], u[SLOTS + 1];
    uint64_t p[WORDS], q[WORDS], r[WORDS];
    Least least;
    memcpy(s, initial[state], SLOTS);
    printf(", \"names\": [");
    for (int at = count; at--;) {
        pack(s, p);
        act[steps[at]](s, t, p, q);
        while (normalise(t, u, q, r) == TAKEN) {
            memcpy(t, u, SLOTS);
            memcpy(q, r, sizeof r);
        }
        represent(t, q, &least);
        memcpy(s, t, SLOTS);
        printf("[");
        for (int class = 0; class < CLASSES; class++) {
            printf("%s[", class ? ", " : "");
            for (int place = 0; place < class_size[class]; place++)
                printf("%s%d", place ? ", " : "", least.names[class][place]);
            printf("]");
        }
        printf("]%s", at ? ", " : "");
    }
    printf("]");
}
#endif

/* The steps to a state; and, where orbits are visited, who is called what after each. */
static void print_path(uint32_t state, int action)
{
    int *steps = grown(NULL, (depth + 3) * sizeof *steps), count = 0;
    if (action >= 0)
        steps[count++] = action;
    for (; reached_by[state]; state = parents[state])
        steps[count++] = reached_by[state] - 1;
    printf("[");
    for (int at = count; at--;)
        printf("%d%s", steps[at], at ? ", " : "");
    printf("]");
#ifdef CLASSES
    print_names(state, steps, count);
#endif
    free(steps);
}

/* The most bytes that this program held. (What getrusage says begins with the driver's, from before exec.) */
static uint64_t peak(void)
{
    unsigned long long kilobytes = 0;
    char line[128];
    FILE *status = fopen("/proc/self/status", "r");
    if (!status)
        return bytes();
    while (fgets(line, sizeof line, status) && sscanf(line, "VmHWM: %llu", &kilobytes) != 1)
        ;
    fclose(status);
    return kilobytes * 1024;
}

static void print(int finished)
{
    Tally sum = summed(tallies, 2 * members);
    printf("{\"distinct\": %llu, \"transitions\": %llu, \"depth\": %d, \"finished\": %s, \"stopped\": \"%s\",\n",
           (unsigned long long)distinct, (unsigned long long)sum.transitions, depth, finished ? "true" : "false", stopped);
    printf(" \"terminal\": %llu, \"exact\": %s, \"represented\": %llu,\n", (unsigned long long)sum.terminal,
           EXACT ? "true" : "false", (unsigned long long)sum.represented);
    printf(" \"bound\": \"%s\", \"bound step\": %d,\n", sum.bound_step ? bounds[sum.bound] : "", sum.bound_step);
    printf(" \"seconds\": %.3f, \"peak\": %llu,\n \"fired\": [", now() - started,
           (unsigned long long)peak());
    for (int i = 0; i < ACTIONS; i++)
        printf("%s%llu", i ? ", " : "", (unsigned long long)sum.fired[i]);
    printf("],\n \"checks\": [");
    for (int i = 0; i < CHECKS; i++) {
        Outcome *outcome = &sum.outcomes[i];
        printf("%s\n  {\"exercised\": %llu, \"steps\": ", i ? "," : "", (unsigned long long)outcome->exercised);
        if (outcome->broken)
            print_path(outcome->state, outcome->action);
        else
            printf("null");
        printf(", \"perturbations\": %d}", outcome->perturbations);
    }
    printf("]}\n");
}

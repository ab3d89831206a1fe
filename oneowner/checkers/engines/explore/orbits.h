/*
 * One state for each orbit: of all states that differ in the names of interchangeable things, the least.
 *
 * Things are put in the order of their signatures, which do not depend on names. Those whose signatures are equal are
 * tried in every order, and the least packed state is kept, so that an orbit has one representative.
 */

typedef struct {
    uint8_t s[SLOTS + 1];
    int names[CLASSES][MOST_ALIKE]; /* who is now called what */
    uint64_t signs[CLASSES][MOST_ALIKE];
} Naming;

typedef struct {
    uint64_t packed[WORDS];
    uint8_t s[SLOTS + 1];
    int names[CLASSES][MOST_ALIKE];
    int is_found;
    uint64_t tried, same; /* how many orders were tried, and how many gave the state that was asked about */
} Least;

static void exchange(Naming *n, int class, int one, int other)
{
    int name = n->names[class][one];
    uint64_t sign_of_one = n->signs[class][one];
    swap[class][one][other](n->s);
    n->names[class][one] = n->names[class][other];
    n->names[class][other] = name;
    n->signs[class][one] = n->signs[class][other];
    n->signs[class][other] = sign_of_one;
}

static void consider(const Naming *n, const uint64_t *asked, Least *least)
{
    uint64_t p[WORDS];
    pack(n->s, p);
    least->tried++;
    least->same += asked && !memcmp(p, asked, sizeof p);
    if (least->is_found) {
        int word = 0;
        while (word < WORDS && p[word] == least->packed[word])
            word++;
        if (word == WORDS || p[word] > least->packed[word])
            return;
    }
    least->is_found = 1;
    memcpy(least->packed, p, sizeof p);
    memcpy(least->s, n->s, SLOTS);
    memcpy(least->names, n->names, sizeof n->names);
}

/* Try every order of things from *place* on that have the same signature. */
static void orders(Naming *n, int class, int place, const uint64_t *asked, Least *least)
{
    if (class == CLASSES) {
        consider(n, asked, least);
        return;
    }
    if (place == class_size[class]) {
        orders(n, class + 1, 0, asked, least);
        return;
    }
    orders(n, class, place + 1, asked, least);
    for (int other = place + 1; other < class_size[class] && n->signs[class][other] == n->signs[class][place]; other++) {
        exchange(n, class, place, other);
        orders(n, class, place + 1, asked, least);
        exchange(n, class, place, other);
    }
}

static void begin_naming(Naming *n, const uint8_t *s, Least *least)
{
    memcpy(n->s, s, SLOTS);
    memset(n->signs, 0, sizeof n->signs);
    for (int class = 0; class < CLASSES; class++)
        for (int place = 0; place < class_size[class]; place++)
            n->names[class][place] = place;
    least->is_found = 0;
    least->tried = least->same = 0;
}

/* Put the representative of its orbit in the place of a state; say in *least* who is called what there. */
static void represent(uint8_t *s, uint64_t *p, Least *least)
{
    Naming n;
    begin_naming(&n, s, least);
    for (int class = 0; class < CLASSES; class++) {
        if (!sign[class][0])
            continue;
        for (int place = 0; place < class_size[class]; place++)
            n.signs[class][place] = sign[class][place](s);
        for (int place = 1; place < class_size[class]; place++)
            for (int at = place; at > 0 && n.signs[class][at - 1] > n.signs[class][at]; at--)
                exchange(&n, class, at - 1, at);
    }
    orders(&n, 0, 0, NULL, least);
    memcpy(s, least->s, SLOTS);
    memcpy(p, least->packed, sizeof least->packed);
}

/* How many states the orbit of a state has: all orders, over those that leave the state as it is. */
static uint64_t orbit(const uint8_t *s, const uint64_t *p)
{
    Naming n;
    Least least;
    begin_naming(&n, s, &least); /* all signatures are 0: every order is tried */
    orders(&n, 0, 0, p, &least);
    return least.tried / least.same;
}

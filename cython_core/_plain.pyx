"""Plain mahjong: any complete hand wins one point; nothing is carried but the deal."""

from cpython.pycapsule cimport PyCapsule_New
from libc.string cimport memset

from cython_core._hand cimport Tables, complete
from cython_core._rules cimport (
    LEGAL, NO_SUCH_WIN, NOT_COMPLETE, NOT_DEALER, Hooks, Rules, Settlement, Win,
)
from cython_core._score cimport dealt_to_another, has_special_kong, on_another
from cython_core._types cimport (
    BY_BAO_VIEW, N_SEATS, int64_t,
)

cdef enum:   # elements
    HU, ZI_MO

ELEMENTS = ("hu", "zi_mo")

cdef enum:   # options
    ALL_PAY

OPTIONS = ("discard_payment",)
MODES = ()
BIDS = ()
COUNTERS = ()
CONTEXT = {}


cdef int score(
    const Rules* rules, const Tables* tables, const Win* win, Settlement* out
) noexcept nogil:
    cdef bint on_discard = on_another(win)
    cdef int payer
    cdef int64_t share
    memset(out, 0, sizeof(Settlement))
    if win.by == BY_BAO_VIEW or has_special_kong(win):
        return NO_SUCH_WIN
    if dealt_to_another(win):
        return NOT_DEALER
    if not complete(tables, &win.hand, rules.shapes):
        return NOT_COMPLETE
    out.value[HU] = rules.value[HU]
    out.base_total = rules.value[HU]
    out.multiplier = 1
    if not on_discard:
        out.value[ZI_MO] = rules.value[ZI_MO]
        out.multiplier = rules.value[ZI_MO]
    share = out.base_total * out.multiplier
    for payer in range(N_SEATS):
        if payer == win.winner:
            continue
        if on_discard and payer != win.discarder and not rules.option[ALL_PAY]:
            continue
        out.pay[payer] -= share
        out.pay[win.winner] += share
    return LEGAL


cdef Hooks hooks
hooks.score = score
HOOKS = PyCapsule_New(&hooks, b"mjstats.Hooks", NULL)

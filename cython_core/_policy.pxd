"""How simulated players decide."""

from cython_core._rules cimport Policy

# Position in POLICIES of _policy.pyx.
cdef Policy policy_of(int index) noexcept nogil

! A halo exchange by the Fortran bindings: exchange.c gives it device memory.
subroutine exchange(sent, received, count, left, right) bind(c)
  use, intrinsic :: iso_c_binding
  implicit none
  include 'mpif.h'
  integer(c_int), value :: count, left, right
  real(c_float) :: sent(count), received(count)
  integer :: requests(2), statuses(MPI_STATUS_SIZE, 2), error

  call MPI_Irecv(received, count, MPI_REAL, left, 0, MPI_COMM_WORLD, requests(1), error)
  call MPI_Isend(sent, count, MPI_REAL, right, 0, MPI_COMM_WORLD, requests(2), error) ! sends
  call MPI_Waitall(2, requests, statuses, error)
end subroutine

subroutine add_up(values, count) bind(c)
  use, intrinsic :: iso_c_binding
  implicit none
  include 'mpif.h'
  integer(c_int), value :: count
  real(c_float) :: values(count)
  integer :: error

  call MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_REAL, MPI_SUM, MPI_COMM_WORLD, error) ! adds
end subroutine

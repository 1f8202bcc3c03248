// Package cluster models machines with several resources and finds where a task fits.
//
// A machine has a capacity of every resource; a task holds a demand of every resource while it runs, whole, on one
// machine (Carbyne, OSDI 2016, §2; Tetris, SIGCOMM 2014, §3). One machine that is as large as the cluster is a pool.
//
// Amounts are integers. The quantum of a resource is the power of ten that gives the largest machine 10^10 to
// 10^11 quanta. Sums are therefore exact in any order: tasks of 0.29 and 0.21 fill a half, and the last task
// that fits is found to fit on every computer.
package cluster

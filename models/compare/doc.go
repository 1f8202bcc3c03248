// Package compare replays the same jobs on the same machines under several schedulers, one at a time, and measures each
// (Carbyne, OSDI 2016, §5). Schedulers have names, which [Schedulers] lists; experiments vary what the paper varies.
package compare

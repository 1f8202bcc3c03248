package cli

// explain describes a kind of repair for readers of the tables, "" if its name is enough.
func explain(repair string) string {
	const (
		end   = "The end was set to unknown, and with it the duration: completion times leave the row out."
		edges = "The edge is not in the table: paths are shorter and barriers fewer than the trace claims."
	)
	return map[string]string{
		"end before start":                 end,
		"end before creation or start":     end,
		"end before submission or start":   end,
		"attempt end before its start":     end,
		"job end before its start":         end,
		"task end before its start":        end,
		"stage end before its start":       end,
		"application end before its start": end,
		"time of 0":                        "0 stands for a time that is not known: it became unknown.",
		"time of 0 in an unfinished row":   "What waits or runs has not started or ended: the 0 became unknown.",
		"time of 0: not yet":               "What waits or runs has not started or ended: the 0 became unknown.",
		"time of 0: not yet, or before the trace": "It had not happened yet, or before the recording began: the 0 " +
			"became unknown.",
		"impossible time": "The number cannot be a time: it became unknown.",
		"last change of an unfinished row is no end": "The trace gives the last change of state as end: of what " +
			"waits or runs that is no end, " +
			"and became unknown.",
		"submitted after it ended": "The submission lies after the end: the submission of the first task was " +
			"taken.",
		"stage submission after its start": "Clocks differ: the submission became unknown.",
		"application start after its first work": "Clocks differ: the submission became unknown, completion " +
			"times count from the first work.",
		"task end without finish time": "The log says that the task ended but not when: its end is " +
			"unknown.",
		"time before the trace": "It happened before the recording began: the time is unknown, " +
			"waiting and completion times with it.",
		"event after the trace": "It happened after the recording ended: what it would have " +
			"ended is running.",
		"censored: no end in the trace": "It was pending or running when the recording ended: status " +
			"running, no end.",
		"attempt whose end was lost": "The task was submitted or scheduled again before the trace " +
			"says that it ended: status unknown, no end.",
		"attempt whose start was lost": "The trace says that the attempt ended or changed, but not " +
			"that it began: no start, no duration.",
		"event that occurs twice": "The same event stands in two rows: it counts once.",
		"pod deleted at the end of the trace": "Several pods that were not done share the last deletion: the trace ends " +
			"there, and they were running. Their end is not known.",
		"usage window without length": "The measurement covers no time: it is in no mean.",
		"usage outside of any attempt": "The task was measured while no attempt of it ran: the " +
			"measurement is in no mean.",
		"machine that left and came back": "It was away for a while: the table says that it was there " +
			"from its first day to its last.",
		"retry matched to an instance by its order": "Rows do not say which instance they retry: the n-th retry was " +
			"taken for one of the n-th instance.",
		"stage known from instances only": "Its own row is missing: count, demand and status come from " +
			"its instances.",
		"job known from tasks or instances only": "Its own row is missing: end and status come from its tasks.",
		"worker that occurs twice in a task":     "Both rows are kept, as two attempts.",
		"instance without a name: a task of its own": "It cannot be told whether it is a retry: task counts may be " +
			"too large.",
		"fewer tasks stated than listed":  "The count was set to the number of listed tasks.",
		"attempt number given twice":      "The attempts of the task were numbered again, by their order.",
		"unknown status":                  "The word is none that the format knows: status unknown.",
		"unknown parent dropped":          edges,
		"edge of a cycle dropped":         edges,
		"parent or child that is no task": edges,
		"contradicting driver edges dropped": "The order of the driver's jobs contradicts the order of the data: " +
			"driver edges are incomplete for these runs.",
		"task number that occurs twice in a job": "Two stages have the number that children name as parent: the edge " +
			"leads to one of them.",
		"edges taken from files": "The task reads what another writes, although no dependency is stated: an edge " +
			"was added.",
		"measurements of no task": "They name a task that the document does not specify: they are left out.",
		"makespan of 0":           "The run has tasks with durations: its end is unknown.",
		"unreadable date":         "The run has no submission and start.",
		"negative number":         "It became unknown.",
		"negative time or amount": "It became unknown.",
		"negative wait time":      "It became unknown, and with it start and end.",
		"negative run time":       "It became unknown, and with it the end.",
		"negative memory":         "It became unknown.",
		"no processors allocated": "The job is taken to have run on the processors it requested.",
		"task count below 1":      "It became unknown.",
		"invalid UTF-8 replaced": "Bytes that are no text became the replacement character: names may have become " +
			"equal.",
	}[repair]
}

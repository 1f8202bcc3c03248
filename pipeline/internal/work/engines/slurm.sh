#!/bin/bash
# Runs the units of a plan of racecard as an array of Slurm.
#
#   racecard work plan analyze STORE --out /shared/night
#   sbatch --wait racecard-work.sh /shared/night
#   racecard work merge /shared/night --out RESULTS
#
# Each of the tasks runs the units INDEX, INDEX + tasks, and so on. A task that is requeued passes over the units that are done.
#SBATCH --job-name=racecard-work
#SBATCH --array=0-19
#SBATCH --cpus-per-task=2
#SBATCH --mem=4G
#SBATCH --requeue
set -euo pipefail
exec racecard work do "$1" --index "$SLURM_ARRAY_TASK_ID" --of "$SLURM_ARRAY_TASK_COUNT"

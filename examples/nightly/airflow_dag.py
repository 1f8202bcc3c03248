"""racecard every night under Airflow 2 or 3. A retry goes on where the last try stopped."""

from datetime import datetime, timedelta

from airflow import DAG

try:
    from airflow.providers.standard.operators.bash import BashOperator
except ImportError:  # Airflow 2
    from airflow.operators.bash import BashOperator

with DAG("racecard", schedule="30 2 * * *", start_date=datetime(2026, 1, 1), catchup=False, max_active_runs=1) as dag:
    BashOperator(
        task_id="run",
        # {{ yesterday }} of the recipe is the day before the end of the data interval: before the day of this run.
        bash_command="racecard run /srv/racecard/racecard.yaml --log-format json --date {{ data_interval_end | ds }}",
        skip_on_exit_code=4,  # a breached check is an answer: another try would say the same
        retries=2,
        retry_delay=timedelta(minutes=10),
    )

python3 /tmp/h20b/shots.py $1 $2 "${@:3}"

# One image that runs everything `make up` starts: web server, worker, Redis, Spark with its Java. Start it with
#     docker compose up
# The database, uploads, queue and logs are in /data.
FROM python:3.11-slim

RUN useradd --create-home workbench && install -d -o workbench -m 0700 /data /home/workbench/app
WORKDIR /home/workbench/app
USER workbench

# The installation prepares Spark by the program's own code, so that one cannot be kept without the other.
COPY --chown=workbench . .
RUN python workbench/launch/install.py .venv .venv/installed

ENV WORKBENCH_DATA=/data WORKBENCH_BIND=0.0.0.0 WORKBENCH_PORT=8000
VOLUME /data
EXPOSE 8000
# Ended as by Ctrl-C: running analyses go back to the queue.
STOPSIGNAL SIGINT
HEALTHCHECK --start-period=120s CMD [".venv/bin/python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8000/healthz', timeout=5)"]
CMD [".venv/bin/python", "-m", "workbench.launch", "up"]

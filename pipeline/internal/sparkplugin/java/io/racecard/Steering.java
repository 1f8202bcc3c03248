package io.racecard;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkContext;
import org.slf4j.Logger;

/**
 * Asks the server again and again, and follows its answers. One thread of its own does all the work, so that neither the
 * listener bus nor the application waits for it.
 */
final class Steering {
  private static final Logger LOG = RacecardPlugin.LOG;
  private static final int PATIENCE_MS = 2000;
  private static final int MOST_ANSWER = 1 << 20;

  private final SparkContext sc;
  private final Settings settings;
  private final Progress progress;
  private final long beginNs = System.nanoTime();
  private final double beginS; // of the plugin, since the start of the application
  private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(r -> {
    Thread t = new Thread(r, "racecard");
    t.setDaemon(true);
    return t;
  });
  private volatile String app;
  private volatile String last = "";
  private volatile int wanted; // executors; 0: no answer yet
  private int acknowledged; // the target that the cluster manager has confirmed
  private String trouble = ""; // last logged
  private boolean alerted;
  private double loggedEnd = Double.NaN;

  Steering(SparkContext sc, Settings settings, Progress progress) {
    this.sc = sc;
    this.settings = settings;
    this.progress = progress;
    beginS = Math.max(0, (System.currentTimeMillis() - settings.startMs) / 1000.0);
  }

  void start(String appId) {
    scala.Option<String> attempt = sc.applicationAttemptId(); // each has a clock of its own
    app = attempt.isDefined() && !attempt.get().equals("1") ? appId + "_" + attempt.get() : appId;
    if (settings.steer) {
      progress.onTaskEnded(executor -> {
        if (wanted > 0 && settings.shuffleService && progress.held() > wanted) {
          thread.execute(() -> guarded(() -> giveBack(executor)));
        }
      });
    }
    long period = (long) (settings.periodS * 1000);
    thread.scheduleWithFixedDelay(() -> guarded(this::step), 0, period, TimeUnit.MILLISECONDS);
    LOG.info("racecard: {} job {}, deadline {} after the start, {}", settings.steer ? "steers" : "watches", settings.job,
        time(settings.deadlineS), settings.url);
  }

  void stop() {
    thread.shutdownNow();
    if (app == null || last.isEmpty()) {
      return;
    }
    LOG.info("racecard: ended after {}, deadline {}", time(nowS()), time(settings.deadlineS));
    try {
      send("DELETE", "/v1/apps/" + URLEncoder.encode(app, "UTF-8"), null, 500);
    } catch (IOException e) {
      LOG.debug("racecard: the server was not told that the application ends", e);
    }
  }

  double gauge(String name) {
    switch (name) {
      case "held": return progress.held();
      case "wanted": return wanted;
      default: return Json.number(last, name);
    }
  }

  private interface Step {
    void run() throws Exception;
  }

  /** Runs a step, and turns whatever it throws into a line of the log. */
  private void guarded(Step step) {
    try {
      step.run();
    } catch (Throwable t) {
      wanted = 0; // nothing more is given back
      complain("keeps the executors that it holds: " + t);
    }
  }

  private void complain(String text) {
    if (!text.equals(trouble)) {
      LOG.warn("racecard: {}", text);
    }
    trouble = text;
  }

  /** The time since the start of the application, by a clock that never steps. */
  private double nowS() {
    return beginS + (System.nanoTime() - beginNs) / 1e9;
  }

  private void step() throws Exception {
    boolean local = sc.isLocal(); // tasks run in the driver
    int held = local ? 1 : progress.held();
    int slots = local ? Math.max(1, sc.defaultParallelism() / settings.taskCpus) : settings.slots(progress.cores());
    StringBuilder q = new StringBuilder("{\"app\":");
    Json.quote(q, app);
    q.append(",\"job\":");
    Json.quote(q, settings.job);
    q.append(String.format(Locale.ROOT, ",\"now_s\":%.3f,\"deadline_s\":%.3f", nowS(), settings.deadlineS));
    q.append(",\"executors\":").append(held).append(",\"slots\":").append(slots);
    q.append(",\"min_executors\":").append(settings.minExecutors).append(",\"max_executors\":").append(settings.maxExecutors);
    q.append(",\"lost_executors\":").append(progress.lost()).append(",\"watch\":").append(!settings.steer).append(",\"stages\":");
    progress.write(q);
    String answer = send("POST", "/v1/decide", q.append('}').toString(), PATIENCE_MS);
    last = answer;
    if (Json.isTrue(answer, "hold")) {
      wanted = 0;
      complain("keeps the executors that it holds: " + Json.text(answer, "why"));
      return;
    }
    double executors = Json.number(answer, "executors");
    if (!(executors >= settings.minExecutors) || settings.maxExecutors > 0 && executors > settings.maxExecutors) {
      throw new IOException("the server wants " + executors + " executors, outside the bounds");
    }
    if (!trouble.isEmpty()) {
      LOG.info("racecard: the server answers again");
      trouble = "";
    }
    report(answer, held, (int) executors);
    if (settings.steer && !local) {
      follow((int) executors, held);
    }
  }

  private void report(String answer, int held, int executors) {
    double end = Json.number(answer, "end_s");
    double risk = Json.number(answer, "risk");
    String text = String.format(Locale.ROOT, "racecard: %.0f%% done; ends after %s (%s to %s); risk of missing %s: %.0f%%; holds %d executors, wants %d",
        100 * Json.number(answer, "progress"), time(end), time(Json.number(answer, "early_s")), time(Json.number(answer, "late_s")),
        time(settings.deadlineS), 100 * risk, held, executors);
    if (risk >= settings.alert && !alerted && held > 0) { // executors are on their way
      LOG.warn("{}: the deadline is at risk", text);
    } else if (!(Math.abs(end - loggedEnd) < 0.05 * settings.deadlineS)) {
      LOG.info(text);
    } else {
      return;
    }
    alerted = risk >= settings.alert && held > 0;
    loggedEnd = end;
  }

  /** Requests more executors, or gives some back. The target is set again until the cluster manager confirms it. */
  private void follow(int executors, int held) {
    wanted = executors;
    if (held > executors) {
      List<String> idle = progress.idle(!settings.shuffleService);
      for (int i = 0; i < idle.size() && progress.held() > executors; i++) {
        release(idle.get(i));
      }
    }
    target();
  }

  /** Gives back an executor whose last task has just ended, when there are more than wanted: that loses next to no work. */
  private void giveBack(String executor) {
    if (wanted > 0 && progress.held() > wanted) {
      release(executor);
      target();
    }
  }

  private void release(String executor) {
    progress.release(executor);
    acknowledged = 0; // to kill lowers the target
    if (!sc.killExecutor(executor)) {
      progress.keep(executor);
    }
  }

  /** Sets the target: below it the cluster manager starts executors, also in place of lost ones; above it, it ends none. */
  private void target() {
    if (acknowledged != wanted && sc.requestTotalExecutors(wanted, 0, scala.collection.immutable.Map$.MODULE$.<String, Object>empty())) {
      acknowledged = wanted;
    }
  }

  private String send(String method, String path, String body, int patienceMs) throws IOException {
    HttpURLConnection c = (HttpURLConnection) URI.create(settings.url + path).toURL().openConnection();
    c.setConnectTimeout(patienceMs);
    c.setReadTimeout(patienceMs);
    c.setInstanceFollowRedirects(false);
    c.setRequestMethod(method);
    if (settings.token != null) {
      c.setRequestProperty("Authorization", "Bearer " + settings.token);
    }
    if (body != null) {
      byte[] data = body.getBytes(StandardCharsets.UTF_8);
      c.setDoOutput(true);
      c.setFixedLengthStreamingMode(data.length);
      c.setRequestProperty("Content-Type", "application/json");
      try (OutputStream out = c.getOutputStream()) {
        out.write(data);
      }
    }
    int status = c.getResponseCode();
    String text = read(status < 400 ? c.getInputStream() : c.getErrorStream());
    if (status != 200) {
      throw new IOException("the server answers " + status + ": " + Json.text(text, "detail"));
    }
    return text;
  }

  private static String read(InputStream in) throws IOException {
    if (in == null) {
      return "";
    }
    try (InputStream from = in) {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      byte[] part = new byte[8192];
      for (int n = from.read(part); n >= 0; n = from.read(part)) {
        out.write(part, 0, n);
        if (out.size() > MOST_ANSWER) {
          throw new IOException("an answer of more than " + MOST_ANSWER + " bytes");
        }
      }
      return out.toString("UTF-8");
    }
  }

  /** Writes seconds as 1h02m, 3m20s or 45s. */
  static String time(double s) {
    if (Double.isNaN(s)) {
      return "?";
    }
    long n = Math.round(s);
    if (n >= 3600) {
      return String.format("%dh%02dm", n / 3600, n % 3600 / 60);
    }
    return n >= 60 ? String.format("%dm%02ds", n / 60, n % 60) : n + "s";
  }
}

package io.racecard;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.Instant;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.spark.SparkConf;

/** What the configuration of the application says. Times are seconds. */
final class Settings {
  final String url;
  final String token; // null for none
  final String job;
  final double deadlineS; // since the start of the application
  final boolean steer;
  final int minExecutors;
  final int maxExecutors; // 0: no bound
  final int taskCpus;
  private final int slots; // as configured
  final double periodS;
  final double alert;
  final boolean shuffleService;
  final long startMs; // of the application, on the wall clock

  private Settings(SparkConf conf, String url, long startMs) throws Exception {
    this.url = url.replaceAll("/+$", "");
    this.startMs = startMs;
    String file = conf.get("spark.racecard.token.file", "");
    token = file.isEmpty() ? null : firstWord(new String(Files.readAllBytes(Paths.get(file)), StandardCharsets.UTF_8));
    job = conf.get("spark.racecard.job", conf.get("spark.app.name", ""));
    deadlineS = deadline(conf.get("spark.racecard.deadline"), startMs, ZoneId.systemDefault());
    String mode = conf.get("spark.racecard.mode", "watch");
    if (!mode.equals("watch") && !mode.equals("steer")) {
      throw new IllegalArgumentException("spark.racecard.mode is " + mode + ", want watch or steer");
    }
    if (mode.equals("steer") && conf.getBoolean("spark.dynamicAllocation.enabled", false)) {
      throw new IllegalArgumentException("spark.racecard.mode=steer and spark.dynamicAllocation.enabled exclude each other");
    }
    steer = mode.equals("steer");
    int cores = Math.max(1, conf.getInt("spark.executor.cores", 1));
    taskCpus = Math.max(1, conf.getInt("spark.task.cpus", 1));
    slots = Math.max(1, cores / taskCpus);
    minExecutors = Math.max(1, conf.getInt("spark.racecard.executors.min", 1));
    // A standalone cluster gives an executor all cores of its worker where none are configured.
    int all = conf.contains("spark.executor.cores") ? conf.getInt("spark.cores.max", 0) / cores : 0;
    maxExecutors = conf.getInt("spark.racecard.executors.max", all > 0 ? all : conf.getInt("spark.executor.instances", 0));
    periodS = Math.max(0.1, seconds(conf.get("spark.racecard.period", "5s")));
    alert = conf.getDouble("spark.racecard.alert", 0.2);
    shuffleService = conf.getBoolean("spark.shuffle.service.enabled", false);
  }

  /** Returns the tasks that an executor of so many cores runs at once; as configured where 0. */
  int slots(int cores) {
    return cores > 0 ? Math.max(1, cores / taskCpus) : slots;
  }

  /** Returns the settings, null where no server is named. */
  static Settings of(SparkConf conf, long startMs) throws Exception {
    String url = conf.get("spark.racecard.url", "");
    return url.isEmpty() ? null : new Settings(conf, url, startMs);
  }

  private static String firstWord(String text) {
    for (String line : text.split("\n")) {
      if (!line.trim().isEmpty() && !line.startsWith("#")) {
        return line.trim().split("\\s+")[0];
      }
    }
    throw new IllegalArgumentException("spark.racecard.token.file holds no token");
  }

  private static final Pattern PART = Pattern.compile("(\\d+(?:\\.\\d+)?)(ms|s|m|h|d)");

  /** Reads a duration such as 90s, 45m or 1h30m. */
  static double seconds(String text) {
    Matcher m = PART.matcher(text.trim());
    double sum = 0;
    int at = 0;
    while (m.find() && m.start() == at) {
      double x = Double.parseDouble(m.group(1));
      switch (m.group(2)) {
        case "ms": sum += x / 1000; break;
        case "s": sum += x; break;
        case "m": sum += 60 * x; break;
        case "h": sum += 3600 * x; break;
        default: sum += 86400 * x;
      }
      at = m.end();
    }
    if (at == 0 || at != text.trim().length()) {
      throw new IllegalArgumentException(text + " is no duration; want 90s, 45m or 1h30m");
    }
    return sum;
  }

  /** Reads a deadline: a duration since the start, or the next such time of the day after it. */
  static double deadline(String text, long startMs, ZoneId zone) {
    if (!text.contains(":")) {
      return seconds(text);
    }
    ZonedDateTime start = Instant.ofEpochMilli(startMs).atZone(zone);
    ZonedDateTime end = start.with(LocalTime.parse(text));
    if (!end.isAfter(start)) {
      end = end.plusDays(1);
    }
    return (end.toInstant().toEpochMilli() - startMs) / 1000.0;
  }
}

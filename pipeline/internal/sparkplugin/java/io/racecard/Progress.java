package io.racecard;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerExecutorAdded;
import org.apache.spark.scheduler.SparkListenerExecutorRemoved;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.scheduler.SparkListenerTaskStart;
import org.apache.spark.scheduler.StageInfo;

/**
 * What the listener bus tells: stages, tasks done, executors and the tasks that they run. Methods that return sequences of Scala
 * differ in their signatures between 2.12 and 2.13, so they are called by reflection: one jar serves both.
 */
final class Progress extends SparkListener {
  private static final int MOST_STAGES = 20_000;

  private static final class Stage {
    String name = "";
    int tasks;
    long dataset; // the engine's number + 1; 0 for none
    boolean submitted;
    int attempt; // the latest
    int kept; // tasks done in attempts before, whose output is there still
    final List<Long> parents = new ArrayList<>();
    final BitSet done = new BitSet(); // of the latest attempt, by index

    int ended() {
      return Math.min(tasks, kept + done.cardinality());
    }
  }

  private final TreeMap<Integer, Stage> stages = new TreeMap<>();
  private final Map<String, Integer> running = new HashMap<>(); // tasks by executor
  private final Set<String> used = new HashSet<>(); // executors that have finished a task
  private final Set<String> released = new HashSet<>(); // that steering gave back
  private int lost;
  private int cores; // of the executor that came last; 0: none has come
  private volatile Consumer<String> idle = executor -> {};

  /** Has a function told, on the listener bus, of every executor whose last running task ended. It must return at once. */
  void onTaskEnded(Consumer<String> told) {
    idle = told;
  }

  @Override
  public synchronized void onJobStart(SparkListenerJobStart e) {
    try {
      for (Object info : sequence(e, "stageInfos")) {
        stage((StageInfo) info);
      }
    } catch (Throwable t) {
      RacecardPlugin.LOG.debug("racecard: job start", t);
    }
  }

  @Override
  public synchronized void onStageSubmitted(SparkListenerStageSubmitted e) {
    try {
      Stage s = stage(e.stageInfo());
      if (s != null) {
        s.submitted = true;
        int attempt = e.stageInfo().attemptNumber();
        if (attempt > s.attempt) { // it repeats tasks whose output is lost, and counts these alone
          s.attempt = attempt;
          s.kept = Math.max(0, s.tasks - e.stageInfo().numTasks());
          s.done.clear();
        }
      }
    } catch (Throwable t) {
      RacecardPlugin.LOG.debug("racecard: stage submitted", t);
    }
  }

  private Stage stage(StageInfo info) throws Exception {
    Stage s = stages.get(info.stageId());
    if (s == null) {
      if (stages.size() >= MOST_STAGES) {
        return null;
      }
      s = new Stage();
      stages.put(info.stageId(), s);
    }
    s.name = info.name();
    if (info.attemptNumber() == 0 || s.tasks == 0) {
      s.tasks = info.numTasks();
    }
    s.parents.clear();
    for (Object id : sequence(info, "parentIds")) {
      s.parents.add(((Number) id).longValue());
    }
    for (Object rdd : sequence(info, "rddInfos")) {
      s.dataset = ((Number) rdd.getClass().getMethod("id").invoke(rdd)).longValue() + 1;
      break;
    }
    return s;
  }

  /** Returns the elements of a Scala sequence that a method without arguments returns. */
  private static List<Object> sequence(Object of, String method) throws Exception {
    Method m = of.getClass().getMethod(method);
    scala.collection.Iterator<?> it = ((scala.collection.Iterable<?>) m.invoke(of)).iterator();
    List<Object> out = new ArrayList<>();
    while (it.hasNext()) {
      out.add(it.next());
    }
    return out;
  }

  @Override
  public synchronized void onTaskStart(SparkListenerTaskStart e) {
    running.merge(e.taskInfo().executorId(), 1, Integer::sum);
  }

  @Override
  public void onTaskEnd(SparkListenerTaskEnd e) {
    String executor = e.taskInfo() == null ? null : e.taskInfo().executorId();
    synchronized (this) {
      Stage s = stages.get(e.stageId());
      String reason = e.reason() == null ? "" : e.reason().toString();
      if (s != null && e.taskInfo() != null && e.stageAttemptId() == s.attempt) {
        if (reason.equals("Success")) {
          s.done.set(e.taskInfo().index());
        } else if (reason.equals("Resubmitted")) { // an end that was taken back: its output is lost
          s.done.clear(e.taskInfo().index());
        }
      }
      if (executor == null || reason.equals("Resubmitted")) {
        return;
      }
      Integer others = running.computeIfPresent(executor, (k, n) -> Math.max(0, n - 1));
      used.add(executor);
      if (others != null && others > 0) { // on an executor with several cores
        return;
      }
    }
    idle.accept(executor);
  }

  @Override
  public synchronized void onExecutorAdded(SparkListenerExecutorAdded e) {
    running.putIfAbsent(e.executorId(), 0);
    if (!e.executorId().equals("driver") && e.executorInfo() != null) {
      cores = e.executorInfo().totalCores();
    }
  }

  /** The cores of an executor; 0 before the first has come. */
  synchronized int cores() {
    return cores;
  }

  @Override
  public synchronized void onExecutorRemoved(SparkListenerExecutorRemoved e) {
    if (running.remove(e.executorId()) != null && !released.remove(e.executorId())) {
      lost++;
    }
    used.remove(e.executorId());
  }

  /** The number of executors that are held and not about to go. */
  synchronized int held() {
    int n = 0;
    for (String e : running.keySet()) {
      if (!e.equals("driver") && !released.contains(e)) {
        n++;
      }
    }
    return n;
  }

  synchronized int lost() {
    return lost;
  }

  /** Executors that run nothing; with fresh, only those that have never finished a task, and so hold no output. */
  synchronized List<String> idle(boolean fresh) {
    List<String> out = new ArrayList<>();
    running.forEach((e, n) -> {
      if (n == 0 && !e.equals("driver") && !released.contains(e) && !(fresh && used.contains(e))) {
        out.add(e);
      }
    });
    return out;
  }

  /** Notes that an executor was given back: that it goes is no loss. */
  synchronized void release(String executor) {
    released.add(executor);
  }

  /** Takes back a release that Spark refused. */
  synchronized void keep(String executor) {
    released.remove(executor);
  }

  /** Writes the stages as JSON. */
  synchronized void write(StringBuilder to) {
    to.append('[');
    String comma = "";
    for (Map.Entry<Integer, Stage> entry : stages.entrySet()) {
      Stage s = entry.getValue();
      to.append(comma).append("{\"id\":").append(entry.getKey()).append(",\"name\":");
      Json.quote(to, s.name);
      to.append(",\"tasks\":").append(s.tasks).append(",\"done\":").append(s.ended());
      to.append(",\"dataset\":").append(s.dataset).append(",\"submitted\":").append(s.submitted);
      to.append(",\"parents\":").append(s.parents).append('}');
      comma = ",";
    }
    to.append(']');
  }
}

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import org.apache.spark.HashPartitioner;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.api.java.function.Function2;
import scala.Tuple2;

/**
 * A recurring job for live_compare.py: wide and narrow stages, tasks that hash a little and wait a drawn time, as for a
 * disk. Usage: Nightly SEED SLOW_FROM FACTOR; tasks that begin SLOW_FROM seconds after the application wait FACTOR times
 * as long.
 */
public final class Nightly {
  private static final int[] TASKS = {36, 3, 36, 1};
  private static final double[] SECONDS = {3, 7, 3, 6}; // that a task waits in the median run

  public static void main(String[] args) {
    long seed = Long.parseLong(args[0]);
    double factor = Double.parseDouble(args[2]);
    try (JavaSparkContext sc = new JavaSparkContext(new SparkConf())) {
      double slowAt = sc.sc().startTime() + 1000 * Double.parseDouble(args[1]);
      double today = Math.exp(0.15 * draw(seed, 0)); // the input
      List<Tuple2<Integer, Integer>> rows = new ArrayList<>();
      for (int k = 0; k < 144; k++) {
        rows.add(new Tuple2<>(k, 1));
      }
      JavaPairRDD<Integer, Integer> data = sc.parallelizePairs(rows, TASKS[0]);
      for (int i = 0; i < TASKS.length; i++) {
        if (i > 0) {
          data = data.partitionBy(new HashPartitioner(TASKS[i]));
        }
        data = JavaPairRDD.fromJavaRDD(
            data.mapPartitionsWithIndex(work(seed, i, today * SECONDS[i], slowAt, factor), false));
      }
      System.out.println(data.collect().size());
    }
  }

  private static Function2<Integer, Iterator<Tuple2<Integer, Integer>>, Iterator<Tuple2<Integer, Integer>>> work(
      long seed, int stage, double seconds, double slowAt, double factor) {
    return (index, in) -> {
      List<Tuple2<Integer, Integer>> rows = new ArrayList<>();
      in.forEachRemaining(rows::add);
      double slower = System.currentTimeMillis() >= slowAt ? factor : 1;
      byte[] digest = rows.toString().getBytes(StandardCharsets.UTF_8);
      for (int i = 0; i < 10_000; i++) {
        digest = MessageDigest.getInstance("SHA-256").digest(digest);
      }
      Thread.sleep((long) (1000 * seconds * slower * Math.exp(0.25 * draw(seed, 1 + 1000 * stage + index))));
      return (digest.length == 0 ? Collections.<Tuple2<Integer, Integer>>emptyList() : rows).iterator();
    };
  }

  /** A normal variate of a run and a place in it. */
  private static double draw(long seed, long place) {
    Random r = new Random(seed * 1_000_003 + place);
    r.nextInt();
    return r.nextGaussian();
  }
}

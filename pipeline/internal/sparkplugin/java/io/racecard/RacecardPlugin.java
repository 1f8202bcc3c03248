package io.racecard;

import com.codahale.metrics.Gauge;
import java.util.Collections;
import java.util.Map;
import org.apache.spark.SparkContext;
import org.apache.spark.api.plugin.DriverPlugin;
import org.apache.spark.api.plugin.ExecutorPlugin;
import org.apache.spark.api.plugin.PluginContext;
import org.apache.spark.api.plugin.SparkPlugin;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks `racecard serve` when this application will end, and, if it is allowed to, holds as many executors as its deadline
 * needs. Enabled by configuration alone:
 *
 * <pre>
 * spark.plugins               io.racecard.RacecardPlugin
 * spark.racecard.url          http://127.0.0.1:7411
 * spark.racecard.deadline     45m, or a clock time such as 06:00
 * spark.racecard.mode         watch (default): predict and warn; steer: also request and release executors
 * spark.racecard.job          name of the recurring job (default: spark.app.name)
 * spark.racecard.executors.min, spark.racecard.executors.max
 * spark.racecard.period       between two questions (default 5s)
 * spark.racecard.alert        risk of missing the deadline that is warned of (default 0.2)
 * spark.racecard.token.file   file with a bearer token
 * </pre>
 *
 * Whatever goes wrong, the application keeps the executors that it holds and goes on; the log says why. Nothing here throws
 * into Spark.
 */
public final class RacecardPlugin implements SparkPlugin {
  static final Logger LOG = LoggerFactory.getLogger(RacecardPlugin.class);

  @Override
  public DriverPlugin driverPlugin() {
    return new Driver();
  }

  @Override
  public ExecutorPlugin executorPlugin() {
    return null;
  }

  /** The part in the driver. */
  static final class Driver implements DriverPlugin {
    private Steering steering;

    @Override
    public Map<String, String> init(SparkContext sc, PluginContext context) {
      try {
        Settings settings = Settings.of(sc.conf(), sc.startTime());
        if (settings == null) {
          LOG.warn("racecard: spark.racecard.url is not set: nothing is predicted");
          return Collections.emptyMap();
        }
        Progress progress = new Progress();
        sc.addSparkListener(progress);
        steering = new Steering(sc, settings, progress);
      } catch (Throwable t) {
        LOG.warn("racecard: not started, the application goes on without it: {}", t.toString());
      }
      return Collections.emptyMap();
    }

    @Override
    public void registerMetrics(String appId, PluginContext context) {
      if (steering == null) {
        return;
      }
      try {
        for (String name : new String[] {"progress", "end_s", "late_s", "risk", "wanted", "held"}) {
          Gauge<Double> gauge = () -> steering.gauge(name);
          context.metricRegistry().register(name, gauge);
        }
      } catch (Throwable t) {
        LOG.warn("racecard: no metrics: {}", t.toString());
      }
      try {
        steering.start(appId);
      } catch (Throwable t) {
        LOG.warn("racecard: not started, the application goes on without it: {}", t.toString());
      }
    }

    @Override
    public void shutdown() {
      try {
        if (steering != null) {
          steering.stop();
        }
      } catch (Throwable t) {
        LOG.debug("racecard: while stopping", t);
      }
    }
  }
}

import java.io.File;
import java.io.FileOutputStream;
import java.nio.ByteBuffer;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.MiniYARNCluster;
import org.apache.hadoop.yarn.server.api.ApplicationInitializationContext;
import org.apache.hadoop.yarn.server.api.ApplicationTerminationContext;
import org.apache.hadoop.yarn.server.api.AuxiliaryService;

/**
 * A YARN of one node for live_yarn.py. Usage: MiniYarn FOLDER MEMORY_MB CORES. It writes the configuration that clients
 * need to FOLDER/yarn-site.xml, prints "ready", and ends with its input.
 */
public final class MiniYarn {
  /**
   * Takes the place of Spark's shuffle service in the node manager, which PySpark does not bring along. Spark on YARN
   * only asks that a service of the name is there; the shuffle service itself is a process of its own on the same node.
   */
  public static final class Beside extends AuxiliaryService {
    public Beside() {
      super("spark_shuffle");
    }

    @Override
    public void initializeApplication(ApplicationInitializationContext context) {}

    @Override
    public void stopApplication(ApplicationTerminationContext context) {}

    @Override
    public ByteBuffer getMetaData() {
      return ByteBuffer.allocate(0);
    }
  }

  public static void main(String[] args) throws Exception {
    YarnConfiguration conf = new YarnConfiguration();
    conf.setInt(YarnConfiguration.RM_SCHEDULER_MINIMUM_ALLOCATION_MB, 128);
    conf.setInt(YarnConfiguration.YARN_MINICLUSTER_NM_PMEM_MB, Integer.parseInt(args[1]));
    conf.setInt(YarnConfiguration.NM_VCORES, Integer.parseInt(args[2]));
    conf.setBoolean(YarnConfiguration.NM_PMEM_CHECK_ENABLED, false);
    conf.setBoolean(YarnConfiguration.NM_VMEM_CHECK_ENABLED, false);
    conf.set("yarn.scheduler.capacity.root.queues", "default");
    conf.set("yarn.scheduler.capacity.root.default.capacity", "100");
    conf.set("yarn.scheduler.capacity.maximum-am-resource-percent", "1");
    conf.set(YarnConfiguration.NM_AUX_SERVICES, "spark_shuffle");
    conf.setClass("yarn.nodemanager.aux-services.spark_shuffle.class", Beside.class, AuxiliaryService.class);
    MiniYARNCluster yarn = new MiniYARNCluster("racecard", 1, 1, 1);
    yarn.init(conf);
    yarn.start();
    if (!yarn.waitForNodeManagersToConnect(60_000)) {
      throw new IllegalStateException("the node manager does not connect");
    }
    try (FileOutputStream out = new FileOutputStream(new File(args[0], "yarn-site.xml"))) {
      yarn.getConfig().writeXml(out);
    }
    System.out.println("ready");
    while (System.in.read() >= 0) {
      // until the parent closes it
    }
    yarn.stop();
    System.exit(0);
  }
}

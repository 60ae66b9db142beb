package io.fjordmq.broker.chaos;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Commands that start a JVM with the classes of a version, up to the main class.
 *
 * @param current of the version under test
 * @param older of the version that all nodes start with and are upgraded from; null if there is
 *     none
 */
record NodeVersions(List<String> current, @Nullable List<String> older) {

  /**
   * @param current contains the option {@code -cp}
   * @param olderJars directory with the jars of the older version; null if there is none
   */
  static NodeVersions of(List<String> current, @Nullable String olderJars) {
    if (olderJars == null) {
      return new NodeVersions(current, null);
    }
    List<String> older = new ArrayList<>(current);
    older.set(current.indexOf("-cp") + 1, olderJars + "/*");
    return new NodeVersions(current, older);
  }
}

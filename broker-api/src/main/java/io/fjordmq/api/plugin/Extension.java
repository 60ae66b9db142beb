package io.fjordmq.api.plugin;

/**
 * What every extension point has in common. The broker makes one object of each class that a plugin
 * names, by its constructor without parameters, also if the class serves several extension points.
 *
 * <p>All methods but these two are called from several threads at a time, unless the interface says
 * otherwise.
 */
public interface Extension extends AutoCloseable {

  /**
   * Called once before anything else; may block. An exception ends the start of the broker, which
   * says its message and names the plugin's jar.
   *
   * @param settings of the plugin, from the configuration file
   * @throws Exception if it cannot work
   */
  default void start(Settings settings) throws Exception {}

  /** Called once when the broker ends, after the last call of any other method. */
  @Override
  default void close() throws Exception {}
}

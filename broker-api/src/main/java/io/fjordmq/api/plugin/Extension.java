package io.fjordmq.api.plugin;

/**
 * Base interface of all extension points. The broker creates one instance of each class that a
 * plugin names, with its no-argument constructor, even if the class implements several extension
 * points.
 *
 * <p>Unless an interface says otherwise, all methods except {@link #start} and {@link #close} are
 * called concurrently from several threads.
 *
 * @since 0.1.0
 */
public interface Extension extends AutoCloseable {

  /**
   * Called once, before any other method; may block. An exception prevents the startup of the
   * broker, which reports the exception's message and the plugin's jar.
   *
   * @param settings the plugin's section of the configuration file
   * @throws Exception if the plugin cannot start
   */
  default void start(Settings settings) throws Exception {}

  /** Called once when the broker shuts down, after the last call of any other method. */
  @Override
  default void close() throws Exception {}
}

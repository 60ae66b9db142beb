package io.fjordmq.broker.security;

import io.fjordmq.api.plugin.Extension;
import io.fjordmq.api.plugin.SplitStrategy;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The plugins in a directory. Each jar, or directory of jars, is one plugin with its own class
 * loader and threads. Plugins are called in ascending {@code order}, then by name.
 */
public final class Plugins implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Plugins.class);

  /** Shorter than a request to another node may take. */
  private static final long RELOAD_SECONDS = 6;

  private static final long FILE_CHECK_SECONDS = 10;

  private final SecuritySettings settings;
  private final SecurityObserver observer;
  private final List<LoadedPlugin> loaded = new CopyOnWriteArrayList<>();
  private final PluginFiles files = new PluginFiles();
  private @Nullable ScheduledExecutorService watcher;

  /**
   * Loads and starts all plugins. Blocks until they have started.
   *
   * @param values the values of the {@code plugins} section, by {@code name.key}
   * @throws SecurityStartException if a plugin cannot be loaded or started; the message names its
   *     file. Plugins that had already started are closed
   */
  public static Plugins open(
      SecuritySettings settings, Map<String, String> values, SecurityObserver observer)
      throws SecurityStartException {
    Plugins plugins = new Plugins(settings, observer);
    try {
      for (PluginDirectory.Found one : PluginDirectory.read(settings.pluginDir(), values)) {
        plugins.load(one);
      }
      plugins.watchFiles();
      return plugins;
    } catch (SecurityStartException | RuntimeException e) {
      plugins.close();
      throw e;
    }
  }

  private Plugins(SecuritySettings settings, SecurityObserver observer) {
    this.settings = settings;
    this.observer = observer;
  }

  /** The plugins, for {@link Security}. */
  public List<Plugin> all() {
    return loaded.stream().map(LoadedPlugin::plugin).toList();
  }

  /** The plugins for operators, in the order in which they are called. Thread-safe. */
  public List<PluginStatus> status() {
    return loaded.stream().map(this::describe).toList();
  }

  /**
   * Returns the split strategy that a plugin provides.
   *
   * @param name the name of the plugin: its jar without .jar, or its directory; empty for the
   *     built-in strategy
   * @param standard the built-in strategy, used if the name is empty
   * @throws SecurityStartException if the plugin does not exist or provides no strategy
   */
  public SplitStrategy splitStrategy(String name, SplitStrategy standard)
      throws SecurityStartException {
    SplitStrategy chosen = name.isEmpty() ? standard : null;
    for (Plugin plugin : all()) {
      for (Extension extension : plugin.extensions()) {
        if (!(extension instanceof SplitStrategy offered)) {
          continue;
        } else if (plugin.name().equals("plugin " + name)) {
          chosen = offered;
        } else {
          LOG.info(
              "Ignoring the split strategy of a plugin: splitConfig.strategy is '{}' plugin={}",
              name,
              plugin.name());
        }
      }
    }
    if (chosen == null) {
      throw new SecurityStartException(
          "splitConfig.strategy is '"
              + name
              + "', but no plugin of that name in "
              + Path.of(settings.pluginDir()).toAbsolutePath()
              + " provides a "
              + SplitStrategy.class.getName());
    }
    return chosen;
  }

  /** Starts a thread that checks the jars for changes periodically until {@link #close}. */
  private void watchFiles() {
    if (loaded.isEmpty()) {
      return;
    }
    watcher =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = new Thread(task, "plugin-files");
              thread.setDaemon(true);
              return thread;
            });
    watcher.scheduleWithFixedDelay(
        files::warnOfChanges, FILE_CHECK_SECONDS, FILE_CHECK_SECONDS, TimeUnit.SECONDS);
  }

  private void load(PluginDirectory.Found found) throws SecurityStartException {
    files.add(found.jars());
    LoadedPlugin plugin = new LoadedPlugin(PluginInstance.start(found), settings, observer);
    loaded.add(plugin);
    LOG.info("Loaded a plugin path={} provides={}", found.path(), plugin.current().classes());
  }

  private PluginStatus describe(LoadedPlugin plugin) {
    PluginInstance current = plugin.current();
    PluginDirectory.Found found = current.found();
    return new PluginStatus(
        found.name(),
        found.path().toString(),
        current.version(),
        current.kinds(),
        current.classes(),
        files.haveChanged(found.jars()));
  }

  /**
   * Loads the jars of a plugin again and lets the new instance take over, without losing calls. It
   * is started with the settings that the node read at its start, while the previous instance still
   * serves calls. Thread-safe; does not block.
   *
   * @return completes with the status of the new instance; fails with {@link
   *     SecurityStartException} if the previous instance stays in use, or there is none
   */
  public CompletableFuture<PluginStatus> reload(String name) {
    LoadedPlugin plugin =
        loaded.stream().filter(one -> one.name().equals(name)).findFirst().orElse(null);
    if (plugin == null) {
      return CompletableFuture.failedFuture(
          new SecurityStartException("this node has not loaded a plugin of that name"));
    }
    List<Path> before = plugin.current().found().jars();
    PluginFiles.State now = PluginFiles.State.of(before);
    return plugin
        .reload(RELOAD_SECONDS)
        .thenApply(
            next -> {
              List<Path> jars = next.found().jars();
              files.replace(before, jars.equals(before) ? now : PluginFiles.State.of(jars));
              LOG.info(
                  "Reloaded a plugin path={} provides={}", next.found().path(), next.classes());
              return describe(plugin);
            });
  }

  /** Closes all plugins in the reverse order in which they were started. */
  @Override
  public void close() {
    if (watcher != null) {
      watcher.shutdownNow();
    }
    for (int i = loaded.size() - 1; i >= 0; i--) {
      loaded.get(i).close();
    }
    loaded.clear();
  }
}

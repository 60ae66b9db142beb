package io.fjordmq.broker.security;

import io.fjordmq.api.plugin.Authenticator;
import io.fjordmq.api.plugin.Authorizer;
import io.fjordmq.api.plugin.ClientEventListener;
import io.fjordmq.api.plugin.EnhancedAuthenticator;
import io.fjordmq.api.plugin.Extension;
import io.fjordmq.api.plugin.SplitStrategy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The plugins in a directory. Each jar, or directory of jars, is one plugin with its own class
 * loader and threads. Plugins are called in ascending {@code order}, then by name.
 */
public final class Plugins implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Plugins.class);

  private static final List<Class<? extends Extension>> KINDS =
      List.of(
          Authenticator.class,
          EnhancedAuthenticator.class,
          Authorizer.class,
          ClientEventListener.class,
          SplitStrategy.class);

  private static final long FILE_CHECK_SECONDS = 10;

  private final SecuritySettings settings;
  private final SecurityObserver observer;
  private final List<LoadedPlugin> loaded = new ArrayList<>();
  private final List<Supplier<PluginStatus>> descriptions = new CopyOnWriteArrayList<>();
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
      for (PluginFolder.Found one : PluginFolder.read(settings.pluginDir(), values)) {
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
    return descriptions.stream().map(Supplier::get).toList();
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
              "Ignoring a plugin's split strategy, because splitConfig.strategy is '{}' plugin={}",
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

  private void load(PluginFolder.Found found) throws SecurityStartException {
    files.add(found.jars());
    PluginClassLoader loader = new PluginClassLoader("plugin " + found.name(), found.urls());
    List<Extension> extensions = new ArrayList<>();
    LoadedPlugin plugin = new LoadedPlugin(found.name(), loader, extensions, settings, observer);
    loaded.add(plugin); // from here on, close() closes it
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(loader);
    try {
      for (Extension extension : extensionsIn(loader)) {
        extensions.add(extension);
        extension.start(found.settings());
      }
    } catch (Exception | LinkageError | ServiceConfigurationError e) {
      LOG.debug("Failed to start a plugin path={}", found.path(), e);
      throw new SecurityStartException("plugin " + found.path() + " cannot be started: " + e, e);
    } finally {
      thread.setContextClassLoader(before);
    }
    if (extensions.isEmpty()) {
      throw new SecurityStartException(
          "plugin "
              + found.path()
              + " provides no extension: META-INF/services must name a class for one of "
              + KINDS.stream().map(Class::getName).toList());
    }
    descriptions.add(() -> describe(found, extensions));
    LOG.info("Loaded a plugin path={} provides={}", found.path(), plugin.extensionTypes());
  }

  private PluginStatus describe(PluginFolder.Found found, List<Extension> extensions) {
    return new PluginStatus(
        found.name(),
        found.path().toString(),
        extensions.stream()
            .map(extension -> extension.getClass().getPackage().getImplementationVersion())
            .filter(Objects::nonNull)
            .findFirst()
            .orElse(null),
        KINDS.stream()
            .filter(kind -> extensions.stream().anyMatch(kind::isInstance))
            .map(Class::getSimpleName)
            .toList(),
        extensions.stream().map(extension -> extension.getClass().getName()).toList(),
        files.haveChanged(found.jars()));
  }

  /** Creates one object per class, even if several services name the class. */
  private static List<Extension> extensionsIn(ClassLoader loader) {
    Map<Class<?>, Extension> byClass = new LinkedHashMap<>();
    for (Class<? extends Extension> kind : KINDS) {
      for (ServiceLoader.Provider<? extends Extension> one :
          ServiceLoader.load(kind, loader).stream().toList()) {
        if (!byClass.containsKey(one.type())) {
          byClass.put(one.type(), one.get());
        }
      }
    }
    return List.copyOf(byClass.values());
  }

  /** Closes all plugins in the reverse order in which they were started. */
  @Override
  public void close() {
    if (watcher != null) {
      watcher.shutdownNow();
    }
    Collections.reverse(loaded);
    loaded.forEach(LoadedPlugin::close);
    loaded.clear();
  }
}

package io.fjordmq.broker.security;

import io.fjordmq.api.plugin.Authenticator;
import io.fjordmq.api.plugin.Authorizer;
import io.fjordmq.api.plugin.EnhancedAuthenticator;
import io.fjordmq.api.plugin.EventListener;
import io.fjordmq.api.plugin.Extension;
import io.fjordmq.api.plugin.Settings;
import io.fjordmq.api.plugin.SplitStrategy;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The plugins in a folder: each jar, and each folder of jars, is one, with a class loader and
 * threads of its own. Asked in the order of their {@code order}, then of their names.
 */
public final class Plugins implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Plugins.class);

  private static final List<Class<? extends Extension>> KINDS =
      List.of(
          Authenticator.class,
          EnhancedAuthenticator.class,
          Authorizer.class,
          EventListener.class,
          SplitStrategy.class);

  private static final String ORDER = "order";
  private static final long USUAL_ORDER = 100;
  private static final String ENABLED = "enabled";

  /** A plugin as it lies in the folder. */
  private record Found(String name, Path path, Settings settings, long order) {}

  private final SecuritySettings settings;
  private final SecurityObserver observer;
  private final List<LoadedPlugin> loaded = new ArrayList<>();

  /**
   * Loads and starts all. Blocks as long as the plugins' own starts do.
   *
   * @param values of the {@code plugins} section: {@code name.key} to value
   * @throws SecurityStartException if one cannot be had; names its file. Those started before are
   *     closed
   */
  public static Plugins open(
      SecuritySettings settings, Map<String, String> values, SecurityObserver observer)
      throws SecurityStartException {
    Plugins plugins = new Plugins(settings, observer);
    try {
      for (Found one : find(Path.of(settings.pluginDir()), values)) {
        plugins.load(one);
      }
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

  /** What {@link Security} is made of. */
  public List<Plugin> all() {
    return loaded.stream().map(LoadedPlugin::plugin).toList();
  }

  /**
   * The strategy that a plugin offers.
   *
   * @param name of the plugin: its jar without .jar, or its folder; empty for the standard
   * @param standard is used if no plugin is named
   * @throws SecurityStartException if there is no such plugin, or it offers none
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
          log.info(
              "the split strategy of {} is not used: splitConfig.strategy is '{}'",
              plugin.name(),
              name);
        }
      }
    }
    if (chosen == null) {
      throw new SecurityStartException(
          "splitConfig.strategy is '"
              + name
              + "', but no plugin of that name in "
              + Path.of(settings.pluginDir()).toAbsolutePath()
              + " offers a "
              + SplitStrategy.class.getName());
    }
    return chosen;
  }

  private static List<Found> find(Path folder, Map<String, String> values)
      throws SecurityStartException {
    Map<String, Map<String, String>> sections = sections(values);
    List<Found> found = new ArrayList<>();
    for (Path path : contents(folder)) {
      String name = path.getFileName().toString().replaceFirst("\\.jar$", "");
      String section = "plugins." + name;
      Map<String, String> own = sections.remove(plain(name));
      Settings settings = new Settings(section, own == null ? Map.of() : own);
      try {
        if (settings.flag(ENABLED, true)) {
          found.add(new Found(name, path, settings, settings.number(ORDER, USUAL_ORDER)));
        }
      } catch (IllegalArgumentException e) {
        throw new SecurityStartException(String.valueOf(e.getMessage()), e);
      }
    }
    if (!sections.isEmpty()) {
      throw new SecurityStartException(
          "plugins."
              + sections.keySet().iterator().next()
              + " is configured, but there is no such jar or folder in "
              + folder.toAbsolutePath());
    }
    found.sort(Comparator.comparingLong(Found::order).thenComparing(Found::name));
    return found;
  }

  private static Map<String, Map<String, String>> sections(Map<String, String> values)
      throws SecurityStartException {
    Map<String, Map<String, String>> sections = new TreeMap<>();
    for (Map.Entry<String, String> entry : values.entrySet()) {
      int dot = entry.getKey().indexOf('.');
      if (dot < 1) {
        throw new SecurityStartException(
            "plugins." + entry.getKey() + " must be a section with the settings of a plugin");
      }
      sections
          .computeIfAbsent(plain(entry.getKey().substring(0, dot)), name -> new LinkedHashMap<>())
          .put(entry.getKey().substring(dot + 1), entry.getValue());
    }
    return sections;
  }

  /** Names as {@link Settings} has them, so that sections can come from the environment. */
  private static String plain(String name) {
    return name.toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static List<Path> contents(Path folder) throws SecurityStartException {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> paths = Files.list(folder)) {
      return paths
          .filter(path -> path.toString().endsWith(".jar") || Files.isDirectory(path))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new SecurityStartException("securityConfig.pluginDir: cannot be read: " + e, e);
    }
  }

  private void load(Found found) throws SecurityStartException {
    PluginClassLoader loader = new PluginClassLoader("plugin " + found.name, urls(found.path));
    List<Extension> extensions = new ArrayList<>();
    LoadedPlugin plugin = new LoadedPlugin(found.name, loader, extensions, settings, observer);
    loaded.add(plugin); // from here on it is closed, whatever happens
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(loader);
    try {
      for (Extension extension : extensionsIn(loader)) {
        extensions.add(extension);
        extension.start(found.settings);
      }
    } catch (Exception | LinkageError | ServiceConfigurationError e) {
      log.debug("{} cannot be started", found.path, e);
      throw new SecurityStartException("plugin " + found.path + " cannot be started: " + e, e);
    } finally {
      thread.setContextClassLoader(before);
    }
    if (extensions.isEmpty()) {
      throw new SecurityStartException(
          "plugin "
              + found.path
              + " offers nothing: META-INF/services has to name a class for one of "
              + KINDS.stream().map(Class::getName).toList());
    }
    log.info("{} offers {}", found.path, plugin.kinds());
  }

  /** One object of each class, also if it is named for several kinds. */
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

  private static List<URL> urls(Path path) throws SecurityStartException {
    try {
      List<URL> urls = new ArrayList<>();
      urls.add(path.toUri().toURL());
      if (Files.isDirectory(path)) {
        for (Path jar : contents(path)) {
          urls.add(jar.toUri().toURL());
        }
      }
      return urls;
    } catch (MalformedURLException e) {
      throw new IllegalStateException("a path is a URL", e);
    }
  }

  /** Closes all, the last one started first. */
  @Override
  public void close() {
    Collections.reverse(loaded);
    loaded.forEach(LoadedPlugin::close);
    loaded.clear();
  }
}

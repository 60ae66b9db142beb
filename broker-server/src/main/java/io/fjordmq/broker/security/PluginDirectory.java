package io.fjordmq.broker.security;

import io.fjordmq.api.plugin.Settings;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds the plugins in a directory and their settings. Does not load any classes. */
final class PluginDirectory {
  private static final Logger LOG = LoggerFactory.getLogger(PluginDirectory.class);

  private static final String ORDER = "order";
  private static final long DEFAULT_ORDER = 100;
  private static final String ENABLED = "enabled";

  /**
   * A plugin found in the directory.
   *
   * @param name the name of the plugin's jar without .jar, or of its directory
   * @param path the path of the plugin's jar or directory
   * @param jars all jars of the plugin
   */
  record Found(String name, Path path, List<Path> jars, Settings settings, long order) {
    /** The class path of the plugin. */
    List<URL> urls() {
      List<URL> urls = new ArrayList<>();
      try {
        if (Files.isDirectory(path)) {
          urls.add(path.toUri().toURL());
        }
        for (Path jar : jars) {
          urls.add(jar.toUri().toURL());
        }
      } catch (MalformedURLException e) {
        throw new IllegalStateException("every path has a URL", e);
      }
      return urls;
    }

    /**
     * Returns the same plugin with the jars that it has now.
     *
     * @throws SecurityStartException if a file is not a valid jar, or was removed
     */
    Found readAgain() throws SecurityStartException {
      return new Found(name, path, PluginDirectory.jars(path), settings, order);
    }
  }

  private PluginDirectory() {}

  /**
   * Returns the enabled plugins in the order in which they are called.
   *
   * @param values the values of the {@code plugins} section, by {@code name.key}
   * @throws SecurityStartException if a file is not a valid jar, or a section does not belong to
   *     any plugin
   */
  static List<Found> read(String pluginDir, Map<String, String> values)
      throws SecurityStartException {
    Path folder = Path.of(pluginDir);
    Map<String, Map<String, String>> sections = sections(values);
    List<Found> found = new ArrayList<>();
    for (Path path : contents(folder)) {
      String name = path.getFileName().toString().replaceFirst("\\.jar$", "");
      String section = "plugins." + name;
      Map<String, String> own = sections.remove(normalize(name));
      Settings settings = new Settings(section, own == null ? Map.of() : own);
      try {
        if (settings.flag(ENABLED, true)) {
          long order = settings.number(ORDER, DEFAULT_ORDER);
          found.add(new Found(name, path, jars(path), settings, order));
        }
      } catch (IllegalArgumentException e) {
        throw new SecurityStartException(String.valueOf(e.getMessage()), e);
      }
    }
    if (!sections.isEmpty()) {
      throw new SecurityStartException(
          "plugins."
              + sections.keySet().iterator().next()
              + " is configured, but there is no plugin jar or directory with that name in "
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
          .computeIfAbsent(
              normalize(entry.getKey().substring(0, dot)), name -> new LinkedHashMap<>())
          .put(entry.getKey().substring(dot + 1), entry.getValue());
    }
    return sections;
  }

  /**
   * Returns the name as normalized by {@link Settings}, so that sections can be set by environment
   * variables.
   */
  private static String normalize(String name) {
    return name.toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static List<Path> contents(Path folder) throws SecurityStartException {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> paths = Files.list(folder)) {
      List<Path> sorted = paths.sorted().toList();
      sorted.stream()
          .filter(path -> !isPlugin(path))
          .forEach(
              path ->
                  LOG.warn(
                      "Ignored a file in the plugin directory that is not a jar path={}", path));
      return sorted.stream().filter(PluginDirectory::isPlugin).toList();
    } catch (IOException e) {
      throw new SecurityStartException(
          "securityConfig.pluginDir: cannot read the directory: " + e, e);
    }
  }

  private static boolean isPlugin(Path path) {
    return path.toString().endsWith(".jar") || Files.isDirectory(path);
  }

  private static List<Path> jars(Path plugin) throws SecurityStartException {
    List<Path> jars = new ArrayList<>();
    if (Files.isDirectory(plugin)) {
      try (Stream<Path> paths = Files.list(plugin)) {
        paths.filter(path -> path.toString().endsWith(".jar")).sorted().forEach(jars::add);
      } catch (IOException e) {
        throw new SecurityStartException("cannot read plugin " + plugin + ": " + e, e);
      }
    } else {
      jars.add(plugin);
    }
    for (Path jar : jars) {
      requireJar(jar);
    }
    return jars;
  }

  /**
   * Requires that the file is a jar, because a class loader would treat any other file as an empty
   * jar.
   */
  private static void requireJar(Path jar) throws SecurityStartException {
    try {
      new ZipFile(jar.toFile()).close();
    } catch (ZipException e) {
      throw new SecurityStartException(
          "plugin "
              + jar
              + " is not a jar file ("
              + e.getMessage()
              + "); replace or remove the file",
          e);
    } catch (IOException e) {
      throw new SecurityStartException("cannot read plugin " + jar + ": " + e, e);
    }
  }
}

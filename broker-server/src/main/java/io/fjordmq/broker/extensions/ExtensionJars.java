package io.fjordmq.broker.extensions;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.List;

/**
 * The jars of a directory next to that of the broker's libraries. The process does not open them
 * before they are needed. Thread-safe; blocks on the disk.
 */
public final class ExtensionJars {
  private ExtensionJars() {}

  /**
   * Creates a class loader for the jars, whose parent is that of the broker. Without the directory,
   * for example in tests, it finds only the classes of the parent.
   *
   * @param folder name of the directory
   */
  public static URLClassLoader loader(String folder) {
    return new URLClassLoader(
        folder, jars(folder).toArray(URL[]::new), ExtensionJars.class.getClassLoader());
  }

  private static List<URL> jars(String name) {
    CodeSource source = ExtensionJars.class.getProtectionDomain().getCodeSource();
    if (source == null) {
      return List.of();
    }
    List<URL> jars = new ArrayList<>();
    try {
      Path folder = Path.of(source.getLocation().toURI()).resolveSibling("../" + name);
      if (Files.isDirectory(folder)) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*.jar")) {
          for (Path file : files) {
            jars.add(file.normalize().toUri().toURL());
          }
        }
      }
    } catch (URISyntaxException | MalformedURLException e) {
      throw new IllegalStateException("cannot locate the directory " + name, e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return jars;
  }
}

package io.fjordmq.broker.web;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The files in a directory of the jar that contains a class, or of a directory of classes. */
final class PackagedFiles {
  private PackagedFiles() {}

  /**
   * Reads all files below a directory. Blocks.
   *
   * @return the contents by path relative to the directory, separated by {@code /}
   */
  static SortedMap<String, byte[]> read(Class<?> owner, String folder) throws IOException {
    Path source = source(owner);
    if (Files.isDirectory(source)) {
      return readBelow(source.resolve(folder));
    }
    try (FileSystem jar = FileSystems.newFileSystem(source)) {
      return readBelow(jar.getPath("/", folder));
    }
  }

  private static Path source(Class<?> owner) throws IOException {
    CodeSource code = owner.getProtectionDomain().getCodeSource();
    if (code == null) {
      throw new IOException("the class loader does not say where it found " + owner.getName());
    }
    try {
      return Path.of(code.getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IOException("cannot read classes from " + code.getLocation(), e);
    }
  }

  private static SortedMap<String, byte[]> readBelow(Path folder) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.walk(folder)) {
      files = all.filter(Files::isRegularFile).toList();
    }
    SortedMap<String, byte[]> contents = new TreeMap<>();
    for (Path file : files) {
      String path = folder.relativize(file).toString().replace('\\', '/');
      contents.put(path, Files.readAllBytes(file));
    }
    return contents;
  }
}

package io.fjordmq.broker.system;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * FjordMQ as it is unpacked somewhere: {@code bin}, {@code conf} and one library that names the
 * classes under test. Without sources, so the script has nothing to build while Maven runs. The
 * first node that stops writes a class data archive next to it, which the others use.
 */
final class Installation {
  private Installation() {}

  /** Lays it out below the directory, which becomes the home of {@code bin/standalone.sh}. */
  static Path in(Path home) throws IOException {
    Path scripts = Files.createDirectories(home.resolve("bin"));
    Path source = BrokerCommand.home();
    for (String script : List.of("lib.sh", "memory.sh", "standalone.sh", "passwd.sh")) {
      Files.copy(
          source.resolve("bin").resolve(script),
          scripts.resolve(script),
          StandardCopyOption.COPY_ATTRIBUTES);
    }
    Path conf = Files.createDirectories(home.resolve("conf"));
    for (String file : List.of("standalone.yml", "logback.xml")) {
      Files.copy(source.resolve("conf").resolve(file), conf.resolve(file));
    }
    Path lib = Files.createDirectories(home.resolve("broker-server/target/fjordmq/lib"));
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().put(Attributes.Name.CLASS_PATH, classPath());
    try (OutputStream out = Files.newOutputStream(lib.resolve("classes-under-test.jar"))) {
      new JarOutputStream(out, manifest).finish();
    }
    return home;
  }

  private static String classPath() {
    return Stream.of(SharedClasses.classPath().split(File.pathSeparator, -1))
        .map(element -> Path.of(element).toAbsolutePath())
        .map(path -> path.toUri().toString())
        .collect(Collectors.joining(" "));
  }
}

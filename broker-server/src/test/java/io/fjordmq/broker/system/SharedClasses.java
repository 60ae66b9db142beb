package io.fjordmq.broker.system;

import io.fjordmq.testing.Await;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * A class data sharing (CDS) archive for the brokers under test. One broker creates it; all others
 * start faster, as with {@code bin/standalone.sh}. The JVM takes classes from such an archive only
 * if they come from jars, so directories of classes become jars first. Each JVM that runs tests
 * makes its own, because it replaces the files of an earlier run.
 */
final class SharedClasses {
  private static final String FORK = System.getProperty("fjordmq.test.fork", "0");
  private static final long READY_SECONDS = 60;
  private static final long END_SECONDS = 60;

  /** Created when the first broker is started, once for all tests of a JVM. */
  private static final List<String> OPTIONS = createArchive();

  private SharedClasses() {}

  /** JVM options: the class path and, if there is one, the archive. */
  static List<String> options() {
    return OPTIONS;
  }

  /** The same class path without folders: a JVM that finds one creates no archive. */
  static String classPath() {
    return OPTIONS.get(OPTIONS.size() - 1);
  }

  private static List<String> createArchive() {
    try {
      Path folder = BrokerCommand.home().resolve("broker-server/target/broker-under-test/" + FORK);
      Files.createDirectories(folder);
      List<String> path = List.of("-cp", jars(folder));
      Path archive = folder.resolve("classes.jsa");
      Files.deleteIfExists(archive);
      List<String> dumpOptions = new ArrayList<>(List.of("-XX:ArchiveClassesAtExit=" + archive));
      dumpOptions.addAll(path);
      Path directory = Files.createTempDirectory("fjordmq-classes");
      startAndStop(directory, dumpOptions);
      delete(directory);
      if (!Files.exists(archive)) {
        return path; // slower, but otherwise the same
      }
      List<String> options = new ArrayList<>(List.of("-XX:SharedArchiveFile=" + archive));
      options.addAll(path);
      return List.copyOf(options);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void startAndStop(Path directory, List<String> jvmOptions)
      throws IOException, InterruptedException {
    Path config =
        Files.writeString(directory.resolve("standalone.yml"), NodeFile.standalone("").text());
    Path output = directory.resolve("output.log");
    Process process =
        new BrokerCommand(List.of(), "INFO", config, List.of(directory.resolve("node")))
            .start(output, Map.of(), jvmOptions);
    try {
      Await.until(
          "a broker that is ready", READY_SECONDS, () -> isReady(output) || !process.isAlive());
      process.destroy();
      process.waitFor(END_SECONDS, TimeUnit.SECONDS);
    } finally {
      process.destroyForcibly().waitFor();
    }
  }

  private static void delete(Path directory) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.walk(directory)) {
      files = all.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path file : files) {
      Files.delete(file);
    }
  }

  /** Whether a broker with this output, which exists, accepts clients. */
  static boolean isReady(Path output) {
    try {
      return Files.readString(output).contains("FjordMQ is ready");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * The class path of this JVM, without the working directory, which an empty element stands for.
   */
  private static String jars(Path folder) throws IOException {
    List<String> jars = new ArrayList<>();
    for (String element : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      Path classes = Path.of(element);
      if (element.isEmpty()) {
        continue;
      }
      if (Files.isDirectory(classes)) {
        Path jar = folder.resolve(jars.size() + ".jar");
        pack(classes, jar);
        jars.add(jar.toString());
      } else if (Files.exists(classes)) {
        jars.add(element);
      }
    }
    return String.join(File.pathSeparator, jars);
  }

  private static void pack(Path classes, Path jar) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.walk(classes)) {
      files = all.filter(Files::isRegularFile).sorted().toList();
    }
    try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(jar))) {
      out.setLevel(Deflater.NO_COMPRESSION);
      for (Path file : files) {
        String name = classes.relativize(file).toString().replace(File.separatorChar, '/');
        out.putNextEntry(new ZipEntry(name));
        Files.copy(file, out);
      }
    }
  }
}

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * Copies jars without the native libraries of other platforms. The same input always produces the
 * same bytes.
 *
 * <p>Usage: {@code java KeepNatives.java x86_64|aarch64 TARGET JAR...}. A jar whose libraries are
 * all for another platform is not copied.
 */
class KeepNatives {
  /**
   * The native libraries to keep in jars that contain those of several platforms, by the start of
   * the jar's name. The C library is glibc: Netty publishes no libraries for musl.
   */
  private static final Map<String, Map<String, String>> KEPT =
      Map.of(
          "rocksdbjni-",
          Map.of(
              "x86_64", "librocksdbjni-linux64.so",
              "aarch64", "librocksdbjni-linux-aarch64.so"),
          "jna-",
          Map.of(
              "x86_64", "com/sun/jna/linux-x86-64/libjnidispatch.so",
              "aarch64", "com/sun/jna/linux-aarch64/libjnidispatch.so"));

  /** Ends of names of jars for one platform. */
  private static final Map<String, String> CLASSIFIERS =
      Map.of("x86_64", "-linux-x86_64.jar", "aarch64", "-linux-aarch_64.jar");

  public static void main(String[] args) throws IOException {
    String arch = args[0];
    if (!CLASSIFIERS.containsKey(arch)) {
      throw new IllegalArgumentException("unknown architecture: " + arch);
    }
    Path target = Files.createDirectories(Path.of(args[1]));
    for (String jar : List.of(args).subList(2, args.length)) {
      copy(arch, Path.of(jar), target);
    }
  }

  private static void copy(String arch, Path jar, Path target) throws IOException {
    String name = jar.getFileName().toString();
    for (Map.Entry<String, String> classifier : CLASSIFIERS.entrySet()) {
      if (name.endsWith(classifier.getValue())) {
        if (classifier.getKey().equals(arch)) {
          Files.copy(jar, target.resolve(name));
        }
        return;
      }
    }
    try (ZipFile zip = new ZipFile(jar.toFile())) {
      List<String> natives = natives(zip);
      if (natives.isEmpty()) {
        Files.copy(jar, target.resolve(name));
        return;
      }
      String kept = kept(name, arch);
      if (!natives.contains(kept)) {
        throw new IOException(name + " does not contain " + kept + "; it contains " + natives);
      }
      natives.remove(kept);
      copyWithout(natives, zip, target.resolve(name));
    }
  }

  private static List<String> natives(ZipFile zip) {
    List<String> natives = new ArrayList<>();
    for (Enumeration<? extends ZipEntry> all = zip.entries(); all.hasMoreElements(); ) {
      String name = all.nextElement().getName();
      if (name.matches(".*\\.(so|dll|dylib|jnilib|a)")) {
        natives.add(name);
      }
    }
    return natives;
  }

  private static String kept(String jar, String arch) throws IOException {
    for (Map.Entry<String, Map<String, String>> rule : KEPT.entrySet()) {
      if (jar.startsWith(rule.getKey())) {
        return rule.getValue().get(arch);
      }
    }
    throw new IOException(
        jar + " contains native libraries; add a rule for it to KeepNatives.java");
  }

  private static void copyWithout(List<String> left, ZipFile zip, Path target) throws IOException {
    try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(target))) {
      out.setLevel(9);
      for (Enumeration<? extends ZipEntry> all = zip.entries(); all.hasMoreElements(); ) {
        ZipEntry entry = all.nextElement();
        if (left.contains(entry.getName())) {
          continue;
        }
        ZipEntry copy = new ZipEntry(entry.getName());
        copy.setTimeLocal(entry.getTimeLocal());
        out.putNextEntry(copy);
        try (InputStream in = zip.getInputStream(entry)) {
          in.transferTo(out);
        }
        out.closeEntry();
      }
    }
  }
}

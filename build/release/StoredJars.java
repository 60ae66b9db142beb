import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Enumeration;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * Replaces the jars in directories by jars with the same entries, which are not compressed. An
 * archive of them is smaller, because its compression finds what classes have in common. The same
 * input always produces the same bytes.
 *
 * <p>Usage: {@code java StoredJars.java DIRECTORY...}
 */
class StoredJars {
  public static void main(String[] args) throws IOException {
    for (String directory : args) {
      try (DirectoryStream<Path> jars = Files.newDirectoryStream(Path.of(directory), "*.jar")) {
        for (Path jar : jars) {
          if (!Files.isSymbolicLink(jar)) { // shared with another directory
            store(jar);
          }
        }
      }
    }
  }

  private static void store(Path jar) throws IOException {
    Path copy = jar.resolveSibling(jar.getFileName() + ".new");
    try (ZipFile zip = new ZipFile(jar.toFile());
        ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(copy))) {
      out.setMethod(ZipOutputStream.STORED);
      for (Enumeration<? extends ZipEntry> all = zip.entries(); all.hasMoreElements(); ) {
        ZipEntry entry = all.nextElement();
        byte[] content = zip.getInputStream(entry).readAllBytes();
        CRC32 checksum = new CRC32();
        checksum.update(content);
        ZipEntry stored = new ZipEntry(entry.getName());
        stored.setTimeLocal(entry.getTimeLocal());
        stored.setSize(content.length);
        stored.setCrc(checksum.getValue());
        out.putNextEntry(stored);
        out.write(content);
        out.closeEntry();
      }
    }
    Files.move(copy, jar, StandardCopyOption.REPLACE_EXISTING);
  }
}

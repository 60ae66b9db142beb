import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.List;
import java.util.stream.Stream;

/**
 * Writes the certificate authorities that Java trusts, as a PKCS #12 file without a password, like
 * that of the JDK. keytool would start a JVM for each certificate. The same certificates always
 * give the same bytes.
 *
 * <p>Usage: {@code java TrustStore.java DIRECTORY FILE}. DIRECTORY contains one certificate per
 * {@code .crt} file.
 */
class TrustStore {
  public static void main(String[] args) throws IOException, GeneralSecurityException {
    System.setProperty("keystore.pkcs12.certProtectionAlgorithm", "NONE");
    System.setProperty("keystore.pkcs12.macAlgorithm", "NONE");
    CertificateFactory factory = CertificateFactory.getInstance("X.509");
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    for (Path file : certificates(Path.of(args[0]))) {
      try (InputStream in = Files.newInputStream(file)) {
        store.setCertificateEntry(file.getFileName().toString(), factory.generateCertificate(in));
      }
    }
    if (store.size() == 0) {
      throw new IOException("no certificates in " + args[0]);
    }
    try (OutputStream out = Files.newOutputStream(Path.of(args[1]))) {
      store.store(out, null);
    }
  }

  private static List<Path> certificates(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(file -> file.toString().endsWith(".crt")).sorted().toList();
    }
  }
}

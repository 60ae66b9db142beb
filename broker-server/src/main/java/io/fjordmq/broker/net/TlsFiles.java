package io.fjordmq.broker.net;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.bouncycastle.util.encoders.DecoderException;
import org.bouncycastle.util.io.pem.PemObject;
import org.bouncycastle.util.io.pem.PemReader;
import org.jspecify.annotations.Nullable;

/**
 * The contents of a listener's TLS files, read and validated.
 *
 * @param content the content of each file by configuration key, to detect changes
 * @param chain the listener's certificate, followed by its issuing certificates
 * @param key the private key of the first certificate
 * @param trusted the certificate authorities that clients' certificates must chain to; empty if
 *     clients need no certificate
 */
record TlsFiles(
    Map<String, byte[]> content,
    List<X509Certificate> chain,
    PrivateKey key,
    List<X509Certificate> trusted) {

  /**
   * Thrown if a file cannot be used. The message names the file, its configuration key and the
   * reason.
   */
  static final class UnusableException extends Exception {
    private static final long serialVersionUID = 1;

    private final boolean retryable;

    UnusableException(String message, @Nullable Throwable cause) {
      this(message, cause, false);
    }

    private UnusableException(String message, @Nullable Throwable cause, boolean retryable) {
      super(message, cause);
      this.retryable = retryable;
    }

    /** Whether the same files may become usable later. */
    boolean isTransient() {
      return retryable;
    }
  }

  /** Reads and validates the files of one listener. */
  record Source(String listener, TlsSettings settings) {

    /** Reads the bytes of each configured file. */
    Map<String, byte[]> readContent() throws UnusableException {
      Map<String, byte[]> content = new LinkedHashMap<>();
      addFile(content, "certFile", settings.certFile(), true);
      addFile(content, "keyFile", settings.keyFile(), true);
      addFile(content, "keyPasswordFile", settings.keyPasswordFile(), false);
      addFile(content, "trustFile", settings.trustFile(), false);
      return content;
    }

    private void addFile(Map<String, byte[]> content, String key, String file, boolean needed)
        throws UnusableException {
      if (file.isEmpty() && !needed) {
        return;
      }
      try {
        if (file.isEmpty()) {
          throw new NoSuchFileException("not configured");
        }
        content.put(key, Files.readAllBytes(Path.of(file)));
      } catch (NoSuchFileException e) {
        throw unusable(key, file.isEmpty() ? "must name a PEM file" : "no such file", e);
      } catch (IOException | UncheckedIOException e) {
        throw new UnusableException(describe(key) + "cannot be read: " + e, e, true);
      }
    }

    /**
     * Parses and validates the files; {@code now} must be within the certificate's validity period.
     */
    TlsFiles parse(Map<String, byte[]> content, Instant now) throws UnusableException {
      List<X509Certificate> chain = parseCertificates("certFile", bytes(content, "certFile"));
      PrivateKey key = parseKey(content);
      X509Certificate own = chain.get(0);
      if (now.isAfter(own.getNotAfter().toInstant())) {
        throw unusable("certFile", "expired at " + own.getNotAfter().toInstant(), null);
      }
      if (now.isBefore(own.getNotBefore().toInstant())) {
        throw new UnusableException(
            describe("certFile") + "is not valid before " + own.getNotBefore().toInstant(),
            null,
            true);
      }
      if (!matches(key, own.getPublicKey())) {
        throw unusable("keyFile", "does not match the certificate in " + settings.certFile(), null);
      }
      List<X509Certificate> trusted =
          content.containsKey("trustFile")
              ? parseCertificates("trustFile", bytes(content, "trustFile"))
              : List.of();
      return new TlsFiles(content, chain, key, trusted);
    }

    private PrivateKey parseKey(Map<String, byte[]> content) throws UnusableException {
      byte[] passwordFile = content.get("keyPasswordFile");
      String password =
          passwordFile == null
              ? settings.keyPassword()
              : new String(passwordFile, StandardCharsets.UTF_8)
                  .lines()
                  .findFirst()
                  .orElse("")
                  .strip();
      try {
        return PemKey.of(parseBlocks(bytes(content, "keyFile")), password);
      } catch (GeneralSecurityException | IOException e) {
        throw unusable("keyFile", String.valueOf(e.getMessage()), e);
      }
    }

    private List<X509Certificate> parseCertificates(String key, byte[] file)
        throws UnusableException {
      List<X509Certificate> found = new ArrayList<>();
      try {
        CertificateFactory factory = CertificateFactory.getInstance("X.509");
        for (PemObject block : parseBlocks(file)) {
          if (block.getType().endsWith("CERTIFICATE")) {
            found.add(
                (X509Certificate)
                    factory.generateCertificate(new ByteArrayInputStream(block.getContent())));
          }
        }
      } catch (CertificateException | IOException e) {
        throw unusable(key, "contains an unreadable certificate: " + e.getMessage(), e);
      }
      if (found.isEmpty()) {
        throw unusable(key, "contains no PEM certificate", null);
      }
      return List.copyOf(found);
    }

    /** Returns the blocks of a PEM file (RFC 7468). Text between blocks is ignored. */
    private static List<PemObject> parseBlocks(byte[] file) throws IOException {
      List<PemObject> blocks = new ArrayList<>();
      try (PemReader reader =
          new PemReader(new StringReader(new String(file, StandardCharsets.ISO_8859_1)))) {
        for (PemObject block = reader.readPemObject();
            block != null;
            block = reader.readPemObject()) {
          blocks.add(block);
        }
      } catch (DecoderException e) {
        throw new IOException("a PEM block is not valid Base64: " + e.getMessage(), e);
      }
      return blocks;
    }

    private static byte[] bytes(Map<String, byte[]> content, String key) {
      return content.getOrDefault(key, new byte[0]);
    }

    private UnusableException unusable(String key, String why, @Nullable Throwable cause) {
      return new UnusableException(describe(key) + why, cause);
    }

    private String describe(String key) {
      String file =
          switch (key) {
            case "certFile" -> settings.certFile();
            case "keyFile" -> settings.keyFile();
            case "trustFile" -> settings.trustFile();
            default -> settings.keyPasswordFile();
          };
      return listener + "." + key + (file.isEmpty() ? " " : ": " + file + ": ");
    }
  }

  /** Whether the contents are unchanged. */
  boolean hasSameContent(Map<String, byte[]> other) {
    return contentEquals(content, other);
  }

  static boolean contentEquals(Map<String, byte[]> one, Map<String, byte[]> other) {
    return one.keySet().equals(other.keySet())
        && one.keySet().stream().allMatch(key -> Arrays.equals(one.get(key), other.get(key)));
  }

  /** The time at which the listener's certificate expires. */
  Instant expiresAt() {
    return chain.get(0).getNotAfter().toInstant();
  }

  /** Whether the certificate verifies a signature made with the key. */
  private static boolean matches(PrivateKey key, PublicKey certified) {
    String algorithm =
        switch (key.getAlgorithm()) {
          case "RSA" -> "SHA256withRSA";
          case "EC" -> "SHA256withECDSA";
          default -> key.getAlgorithm();
        };
    byte[] sample = {1, 2, 3};
    try {
      Signature signature = Signature.getInstance(algorithm);
      signature.initSign(key);
      signature.update(sample);
      byte[] signed = signature.sign();
      signature.initVerify(certified);
      signature.update(sample);
      return signature.verify(signed);
    } catch (InvalidKeyException e) {
      return false; // different algorithms
    } catch (GeneralSecurityException e) {
      return false; // the keys do not belong to the same pair
    }
  }
}

package io.fjordmq.broker.telemetry;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/** Reads the files that the connection to the collector needs. Blocks on the disk. */
public final class CollectorFiles {
  private static final int MAX_FILE_BYTES = 64 * 1_024;
  private static final Pattern NAME = Pattern.compile("[a-z0-9_.-]+");

  private CollectorFiles() {}

  /** Returns a message for each file that cannot be used, with the key; empty if there are none. */
  public static List<String> problems(TelemetrySettings settings) {
    List<String> problems = new ArrayList<>();
    if (settings.isEnabled()) {
      try {
        headers(settings);
      } catch (IOException e) {
        String key = settings.headersFile().isEmpty() ? "headers" : "headersFile";
        problems.add("telemetryConfig." + key + ": " + e.getMessage());
      }
      try {
        trusted(settings);
      } catch (IOException e) {
        problems.add("telemetryConfig.trustFile: " + e.getMessage());
      }
    }
    return problems;
  }

  /**
   * Returns the headers of each request, with names in lower case.
   *
   * @throws IOException if the file cannot be used or a header is invalid; the message does not
   *     contain values
   */
  public static Map<String, String> headers(TelemetrySettings settings) throws IOException {
    List<String> lines =
        settings.headersFile().isEmpty()
            ? List.of(settings.headers().split(",", -1))
            : text(settings.headersFile()).lines().toList();
    Map<String, String> headers = new LinkedHashMap<>();
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      int equals = line.indexOf('=');
      String name = equals < 0 ? "" : line.substring(0, equals).strip().toLowerCase(Locale.ROOT);
      String value = line.substring(equals + 1).strip();
      boolean isPrintable = value.chars().allMatch(c -> c >= ' ' && c <= '~');
      if (!NAME.matcher(name).matches() || name.endsWith("-bin") || !isPrintable) {
        throw new IOException("header " + (i + 1) + " must be name=value in printable ASCII");
      }
      headers.put(name, value);
    }
    return headers;
  }

  /**
   * Returns the CA certificates of the collector; empty for those of the JDK.
   *
   * @throws IOException if the file cannot be used; the message names it
   */
  public static List<X509Certificate> trusted(TelemetrySettings settings) throws IOException {
    if (settings.trustFile().isEmpty()) {
      return List.of();
    }
    List<X509Certificate> certificates = new ArrayList<>();
    try (InputStream in = Files.newInputStream(Path.of(settings.trustFile()))) {
      CertificateFactory.getInstance("X.509")
          .generateCertificates(in)
          .forEach(certificate -> certificates.add((X509Certificate) certificate));
    } catch (IOException e) {
      throw new IOException("cannot read " + settings.trustFile() + ": " + e, e);
    } catch (CertificateException e) {
      throw new IOException(
          settings.trustFile() + " is not a PEM file with certificates: " + e.getMessage(), e);
    }
    if (certificates.isEmpty()) {
      throw new IOException(settings.trustFile() + " contains no certificate");
    }
    return certificates;
  }

  private static String text(String file) throws IOException {
    byte[] bytes;
    try (InputStream in = Files.newInputStream(Path.of(file))) {
      bytes = in.readNBytes(MAX_FILE_BYTES + 1);
    } catch (IOException e) {
      throw new IOException("cannot read " + file + ": " + e, e);
    }
    if (bytes.length > MAX_FILE_BYTES) {
      throw new IOException(file + " is larger than " + MAX_FILE_BYTES + " bytes");
    }
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw new IOException(file + " is not valid UTF-8", e);
    }
  }
}

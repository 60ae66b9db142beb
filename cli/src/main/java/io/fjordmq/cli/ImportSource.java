package io.fjordmq.cli;

import io.fjordmq.cli.api.Json;
import io.fjordmq.cli.imports.DynamicSecurity;
import io.fjordmq.cli.imports.EmqxUsers;
import io.fjordmq.cli.imports.ImportedUsers;
import io.fjordmq.cli.imports.MosquittoFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.core.JacksonException;

/** A file with users or rules of another broker. */
final class ImportSource {
  /** The file formats. */
  enum Format {
    MOSQUITTO_PASSWORDS,
    MOSQUITTO_ACL,
    MOSQUITTO_DYNSEC,
    EMQX;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-'); // as on the command line
    }
  }

  private static final List<String> ALGORITHMS =
      List.of("plain", "md5", "sha", "sha256", "sha512", "bcrypt", "pbkdf2");
  private static final List<String> POSITIONS = List.of("prefix", "suffix", "disable");

  @Parameters(
      index = "0",
      paramLabel = "FORMAT",
      description = "mosquitto-passwords, mosquitto-acl, mosquitto-dynsec or emqx")
  Format format = Format.EMQX;

  @Parameters(index = "1", paramLabel = "FILE", description = "the file")
  Path file = Path.of("");

  @Option(
      names = "--hash",
      defaultValue = "sha256",
      paramLabel = "ALGORITHM",
      description =
          "emqx: plain, md5, sha, sha256, sha512, bcrypt or pbkdf2 (default: ${DEFAULT-VALUE})")
  String algorithm = "sha256";

  @Option(
      names = "--salt-position",
      defaultValue = "prefix",
      paramLabel = "POSITION",
      description = "emqx: prefix, suffix or disable (default: ${DEFAULT-VALUE})")
  String saltPosition = "prefix";

  @Option(
      names = "--iterations",
      defaultValue = "4096",
      paramLabel = "N",
      description = "emqx: iterations of pbkdf2 with SHA-256 (default: ${DEFAULT-VALUE})")
  int iterations = 4_096;

  /**
   * Reads the file.
   *
   * @throws UsageException if there is no such file, it has another format, or an option is invalid
   */
  ImportedUsers read() {
    EmqxUsers.Hashing hashing = hashing();
    String text = text();
    try {
      return switch (format) {
        case MOSQUITTO_PASSWORDS -> MosquittoFiles.passwords(text.lines().toList());
        case MOSQUITTO_ACL -> MosquittoFiles.acl(text.lines().toList());
        case MOSQUITTO_DYNSEC -> DynamicSecurity.read(Json.parse(text));
        case EMQX -> EmqxUsers.read(text, hashing);
      };
    } catch (JacksonException e) {
      throw new UsageException("the file is not valid JSON: " + file);
    } catch (IllegalArgumentException e) {
      throw new UsageException(file + ": " + e.getMessage());
    }
  }

  private EmqxUsers.Hashing hashing() {
    requireOneOf("--hash", algorithm, ALGORITHMS);
    requireOneOf("--salt-position", saltPosition, POSITIONS);
    return new EmqxUsers.Hashing(algorithm, saltPosition, iterations);
  }

  private static void requireOneOf(String option, String word, List<String> known) {
    if (!known.contains(word)) {
      throw new UsageException(
          "%s must be one of %s, not '%s'".formatted(option, String.join(", ", known), word));
    }
  }

  private String text() {
    try {
      return Files.readString(file);
    } catch (NoSuchFileException e) {
      throw new UsageException("file not found: " + file);
    } catch (CharacterCodingException e) {
      throw new UsageException("the file is not UTF-8: " + file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

package io.fjordmq.perf.report;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The report as JSON, for programs. {@code format} is incremented when programs that read it must
 * be changed.
 */
public final class ReportJson {
  static final int FORMAT = 2;

  private static final JsonMapper MAPPER =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  private ReportJson() {}

  public static String write(Report report) {
    return text(report);
  }

  public static String write(TargetTable table) {
    return text(table);
  }

  private static String text(Object report) {
    return MAPPER.writeValueAsString(report) + "\n";
  }

  /**
   * Reads a report that {@link #write} has written, without its samples.
   *
   * @throws IOException if the file is not a report of this tool; the message names the file and
   *     the reason
   */
  static Report read(Path file) throws IOException {
    String text = text(file);
    try {
      JsonNode content = MAPPER.readTree(text);
      if (content.path("medians").isEmpty()) {
        throw new IOException(
            file + " is not a report of this tool; compare needs the .json files of two runs");
      }
      int format = content.path("format").asInt(0);
      if (format != FORMAT) {
        throw new IOException(
            "%s has format %d, but this tool reads format %d; repeat the run with the command in it"
                .formatted(file, format, FORMAT));
      }
      content.path("runs").forEach(run -> ((ObjectNode) run).putArray("samples"));
      return MAPPER.treeToValue(content, Report.class);
    } catch (JacksonException e) {
      throw new IOException(file + " is not a valid report: " + e.getOriginalMessage(), e);
    }
  }

  private static String text(Path file) throws IOException {
    try {
      return Files.readString(file);
    } catch (NoSuchFileException e) {
      throw new IOException("file not found: " + file, e);
    } catch (CharacterCodingException e) {
      throw new IOException(file + " is not a text file", e);
    } catch (IOException e) {
      throw new IOException("cannot read " + file + ": " + e, e);
    }
  }
}

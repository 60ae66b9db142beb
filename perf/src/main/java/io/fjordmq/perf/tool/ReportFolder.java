package io.fjordmq.perf.tool;

import io.fjordmq.perf.report.HtmlReport;
import io.fjordmq.perf.report.Report;
import io.fjordmq.perf.report.ReportJson;
import io.fjordmq.perf.scenario.UsageException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;

/** The directory for reports. */
record ReportFolder(Path path) {
  private static final DateTimeFormatter STAMP = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss");

  /**
   * Creates the directory and checks that it is writable before a long run.
   *
   * @throws UsageException if it is not writable
   */
  void check() {
    try {
      Files.createDirectories(path);
      Files.delete(Files.createTempFile(path, "report", ".new"));
    } catch (IOException e) {
      throw new UsageException("cannot write a report to " + path + ": " + reason(e));
    }
  }

  private static String reason(IOException error) {
    if (error instanceof FileAlreadyExistsException) {
      return "the path exists and is not a directory";
    }
    return error instanceof AccessDeniedException ? "permission denied" : error.toString();
  }

  /** Returns the current time in a format for file names. */
  static String timestamp() {
    return LocalDateTime.now().format(STAMP);
  }

  void write(Report report) throws IOException {
    String name = report.scenario() + "-" + timestamp();
    Path json = path.resolve(name + ".json");
    Path page = path.resolve(name + ".html");
    Files.writeString(json, ReportJson.write(report));
    Files.writeString(page, HtmlReport.write(report));
    System.out.println();
    System.out.println("report: " + page);
    System.out.println("        " + json);
  }
}

package io.fjordmq.perf.tool;

import io.fjordmq.perf.report.HtmlReport;
import io.fjordmq.perf.report.Report;
import io.fjordmq.perf.report.ReportJson;
import io.fjordmq.perf.report.TargetTable;
import io.fjordmq.perf.scenario.UsageException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;

/** The directory for reports. */
record ReportDirectory(Path path) {
  private static final DateTimeFormatter STAMP = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss");

  /**
   * Creates the directory and checks that it is writable. Called before the run, so that no long
   * run is lost.
   *
   * @throws UsageException if the directory is not writable
   */
  void requireWritable() {
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

  /** Returns the current date and time for reports, in ISO 8601 format. */
  static String now() {
    return ZonedDateTime.now()
        .truncatedTo(ChronoUnit.SECONDS)
        .format(DateTimeFormatter.ISO_OFFSET_DATE_TIME);
  }

  void write(Report report) throws IOException {
    write(report.scenario(), ".html", HtmlReport.write(report), ReportJson.write(report));
  }

  void write(TargetTable table) throws IOException {
    write("targets", ".md", table.markdown(), ReportJson.write(table));
  }

  private void write(String title, String pageType, String page, String json) throws IOException {
    String name = title + "-" + timestamp();
    Path pageFile = path.resolve(name + pageType);
    Path jsonFile = path.resolve(name + ".json");
    Files.writeString(jsonFile, json);
    Files.writeString(pageFile, page);
    System.out.println();
    System.out.println("report: " + pageFile);
    System.out.println("        " + jsonFile);
  }
}

package io.fjordmq.broker.http;

/** A text format of the metrics page. */
public enum MetricsFormat {
  /** The Prometheus text format. */
  PROMETHEUS("text/plain; version=0.0.4; charset=utf-8"),
  /** OpenMetrics 1.0, which ends with {@code # EOF}. */
  OPENMETRICS("application/openmetrics-text; version=1.0.0; charset=utf-8");

  private final String contentType;

  MetricsFormat(String contentType) {
    this.contentType = contentType;
  }

  /** The content type of a page in this format. */
  public String contentType() {
    return contentType;
  }
}

package io.fjordmq.broker.http;

import java.util.List;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;

/** Chooses the format and encoding of a response by the headers of the request. */
final class ContentNegotiation {
  /** The request headers that the choice depends on, for caches between client and server. */
  static final String VARY_BY_FORMAT_AND_ENCODING = "Accept, Accept-Encoding";

  static final String GZIP = "gzip";
  private static final String OPENMETRICS = "application/openmetrics-text";
  private static final String TEXT = "text/plain";
  private static final String ANYTHING = "*/*";

  private ContentNegotiation() {}

  /**
   * Returns the format that the client prefers. Clients that accept neither get the Prometheus
   * format, like those without preferences, because scrapers that are not configured still
   * understand it.
   */
  static MetricsFormat metricsFormat(HttpFields headers) {
    for (String accepted : preferences(headers, HttpHeader.ACCEPT)) {
      String type = withoutParameters(accepted);
      if (type.equalsIgnoreCase(OPENMETRICS)) {
        return MetricsFormat.OPENMETRICS;
      } else if (type.equalsIgnoreCase(TEXT) || type.equals(ANYTHING)) {
        return MetricsFormat.PROMETHEUS;
      }
    }
    return MetricsFormat.PROMETHEUS;
  }

  /** Returns the accepted values, best first; none if the header is malformed. */
  private static List<String> preferences(HttpFields headers, HttpHeader header) {
    try {
      return headers.getQualityCSV(header);
    } catch (RuntimeException malformed) { // Jetty does not declare which
      return List.of();
    }
  }

  private static String withoutParameters(String value) {
    int end = value.indexOf(';');
    return (end < 0 ? value : value.substring(0, end)).strip();
  }

  /** Returns whether the client names gzip as an encoding that it accepts. */
  static boolean acceptsGzip(HttpFields headers) {
    return preferences(headers, HttpHeader.ACCEPT_ENCODING).stream()
        .anyMatch(encoding -> withoutParameters(encoding).equalsIgnoreCase(GZIP));
  }
}

package io.fjordmq.broker.http;

import java.util.Optional;

/** The files of the web page. Thread-safe. */
public interface WebFiles {
  /** A server without a web page. */
  WebFiles NONE =
      new WebFiles() {
        @Override
        public boolean serves(String path) {
          return false;
        }

        @Override
        public Optional<HttpReply> findInMemory(String path) {
          return Optional.empty();
        }

        @Override
        public HttpReply load(String path) {
          throw new IllegalStateException("there are no files");
        }
      };

  /**
   * Whether requests for a path belong to the web page.
   *
   * @param path the decoded path of a request
   */
  boolean serves(String path);

  /**
   * The response for a path, which may be a 404; empty if the files have not been read yet. Does
   * not block.
   */
  Optional<HttpReply> findInMemory(String path);

  /** Reads the files, if that has not happened yet, and returns the response. Blocks. */
  HttpReply load(String path);
}

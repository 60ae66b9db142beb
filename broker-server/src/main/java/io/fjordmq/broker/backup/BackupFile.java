package io.fjordmq.broker.backup;

/**
 * A file of a backup.
 *
 * @param name without a directory
 * @param bytes size of the file
 * @param sha256 checksum of the file in hexadecimal digits
 * @param rows number of rows in the file
 */
record BackupFile(String name, long bytes, String sha256, long rows) {
  private static final String NAME = "[a-z]{1,16}-[0-9]{1,9}\\.rows";
  private static final String SHA256 = "[0-9a-f]{64}";

  /** Refuses names that could lead out of the directory. */
  BackupFile {
    if (!name.matches(NAME)) {
      throw new IllegalArgumentException("invalid file name");
    }
    if (bytes < 0 || rows < 0 || !sha256.matches(SHA256)) {
      throw new IllegalArgumentException("invalid size or checksum of " + name);
    }
  }

  static String name(String kind, int number) {
    return "%s-%04d.rows".formatted(kind, number);
  }
}

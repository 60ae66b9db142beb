package io.fjordmq.broker.backup;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A prefix of keys in a bucket.
 *
 * @param prefix without a slash at its end
 * @param endpoint URL of an S3-compatible service; null for that of the environment, or AWS
 * @param region null for that of the environment
 */
public record ObjectLocation(
    String bucket, String prefix, @Nullable String endpoint, @Nullable String region) {
  private static final Pattern URL =
      Pattern.compile("s3://([A-Za-z0-9][A-Za-z0-9._-]{1,254})/([^/\\p{Cntrl}](?:.*[^/])?)/?");

  static ObjectLocation parse(String url, @Nullable String endpoint, @Nullable String region)
      throws BackupException {
    Matcher matcher = URL.matcher(url);
    if (!matcher.matches() || matcher.group(2).contains("//")) {
      throw new BackupException(
          "a backup in object storage needs a URL like s3://BUCKET/PREFIX, not " + url);
    }
    return new ObjectLocation(matcher.group(1), matcher.group(2), endpoint, region);
  }

  /** Returns the URL without the endpoint. */
  public String url() {
    return "s3://" + bucket + "/" + prefix;
  }
}

package io.fjordmq.s3;

import io.fjordmq.broker.backup.BackupException;
import io.fjordmq.broker.backup.BackupStorage;
import io.fjordmq.broker.backup.ObjectLocation;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.net.URI;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;

/** A backup in a bucket: its files are the objects {@code PREFIX/NAME}. */
final class S3Storage implements BackupStorage {
  /** The request that starts a backup waits for this, so there is no time for all attempts. */
  static final Duration PREPARE_TIMEOUT = Duration.ofSeconds(5);

  private final S3Client client;
  private final DefaultCredentialsProvider credentials;
  private final ObjectLocation location;
  private final String service;

  /**
   * @param endpoint null for AWS
   */
  S3Storage(
      S3Client client,
      DefaultCredentialsProvider credentials,
      ObjectLocation location,
      @Nullable URI endpoint) {
    this.client = client;
    this.credentials = credentials;
    this.location = location;
    this.service = endpoint == null ? "AWS" : endpoint.toString();
  }

  @Override
  public String location() {
    return location.url();
  }

  private String key(String name) {
    return location.prefix() + "/" + name;
  }

  private String url(String name) {
    return location.url() + "/" + name;
  }

  /** Runs requests, whose failures become messages for the operator. */
  <T> T request(String what, Supplier<T> requests) throws BackupException {
    try {
      return requests.get();
    } catch (SdkException e) {
      throw S3Failure.describe(what, service, location, e);
    }
  }

  @Override
  public void prepare() throws BackupException {
    boolean isUsed =
        request(
            "list " + location.url() + "/",
            () ->
                client
                    .listObjectsV2(
                        list ->
                            list.bucket(location.bucket())
                                .prefix(location.prefix() + "/")
                                .maxKeys(1)
                                .overrideConfiguration(
                                    limits -> limits.apiCallTimeout(PREPARE_TIMEOUT)))
                    .hasContents());
    if (isUsed) {
      throw new BackupException(
          location.url() + " is not empty; choose a new prefix, or delete its objects");
    }
  }

  @Override
  public OptionalLong size(String name) throws BackupException {
    return request(
        "find " + url(name),
        () -> {
          try {
            return OptionalLong.of(
                client
                    .headObject(head -> head.bucket(location.bucket()).key(key(name)))
                    .contentLength());
          } catch (NoSuchKeyException e) {
            return OptionalLong.empty();
          }
        });
  }

  @Override
  public InputStream read(String name) throws BackupException {
    return request(
        "read " + url(name),
        () -> client.getObject(get -> get.bucket(location.bucket()).key(key(name))));
  }

  @Override
  public NewFile create(String name) {
    return new S3Upload(this, client, location.bucket(), key(name));
  }

  @Override
  public void put(String name, byte[] content) throws BackupException {
    put(key(name), content, content.length);
  }

  /** Uploads the first bytes of an array as an object. */
  void put(String key, byte[] content, int length) throws BackupException {
    PartBody body = new PartBody(content, length);
    request(
        "write s3://" + location.bucket() + "/" + key,
        () ->
            client.putObject(
                put -> put.bucket(location.bucket()).key(key).contentMD5(body.md5()),
                body.content()));
  }

  @Override
  public void delete(String name) throws BackupException {
    request(
        "delete " + url(name),
        () -> client.deleteObject(delete -> delete.bucket(location.bucket()).key(key(name))));
  }

  @Override
  public long freeBytes() {
    return Long.MAX_VALUE;
  }

  @Override
  public void close() {
    client.close();
    credentials.close();
  }

  /** The contents of a request, which retries read again without a copy. */
  static final class PartBody {
    private final byte[] bytes;
    private final int length;

    /**
     * @param bytes must not change during the request
     */
    PartBody(byte[] bytes, int length) {
      this.bytes = bytes;
      this.length = length;
    }

    String md5() {
      return Md5.base64(bytes, length);
    }

    RequestBody content() {
      return RequestBody.fromContentProvider(
          () -> new ByteArrayInputStream(bytes, 0, length), length, "application/octet-stream");
    }
  }
}

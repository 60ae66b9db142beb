package io.fjordmq.s3;

import io.fjordmq.broker.backup.BackupException;
import io.fjordmq.broker.backup.BackupStorage;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CompletedPart;

/**
 * Uploads one object, whose size is not known in advance, in parts. An object that fits into one
 * part needs one request. It exists only after the commit.
 */
final class S3Upload extends BackupStorage.NewFile {
  private static final Logger LOG = LoggerFactory.getLogger(S3Upload.class);

  /** S3 allows 10,000 parts of at least 5 MiB, so an object may have 78 GiB. */
  static final int PART_BYTES = 8 << 20;

  private static final int MAX_PARTS = 10_000;

  private final S3Storage storage;
  private final S3Client client;
  private final String bucket;
  private final String key;
  private final byte[] part = new byte[PART_BYTES];
  private final List<CompletedPart> uploaded = new ArrayList<>();
  private int length;
  private @Nullable String uploadId;

  S3Upload(S3Storage storage, S3Client client, String bucket, String key) {
    this.storage = storage;
    this.client = client;
    this.bucket = bucket;
    this.key = key;
  }

  private String url() {
    return "s3://" + bucket + "/" + key;
  }

  @Override
  public void write(byte[] bytes, int offset, int count) throws BackupException {
    int from = offset;
    int end = offset + count;
    while (from < end) {
      if (length == PART_BYTES) {
        upload();
      }
      int copied = Math.min(end - from, PART_BYTES - length);
      System.arraycopy(bytes, from, part, length, copied);
      length += copied;
      from += copied;
    }
  }

  private void upload() throws BackupException {
    String id = begin();
    int number = uploaded.size() + 1;
    if (number > MAX_PARTS) {
      throw new BackupException(
          "cannot write %s: it has more than %d parts of %d bytes; split the range with 'fjordmq ranges split'"
              .formatted(url(), MAX_PARTS, PART_BYTES));
    }
    S3Storage.PartBody body = new S3Storage.PartBody(part, length);
    String tag =
        storage.request(
            "write part %d of %s".formatted(number, url()),
            () ->
                client
                    .uploadPart(
                        request ->
                            request
                                .bucket(bucket)
                                .key(key)
                                .uploadId(id)
                                .partNumber(number)
                                .contentMD5(body.md5()),
                        body.content())
                    .eTag());
    uploaded.add(CompletedPart.builder().partNumber(number).eTag(tag).build());
    length = 0;
  }

  private String begin() throws BackupException {
    String id = uploadId;
    if (id == null) {
      id =
          storage.request(
              "write " + url(),
              () ->
                  client
                      .createMultipartUpload(create -> create.bucket(bucket).key(key))
                      .uploadId());
      uploadId = id;
    }
    return id;
  }

  @Override
  public void commit() throws BackupException {
    if (uploadId == null) {
      storage.put(key, part, length);
      return;
    }
    upload();
    String id = uploadId;
    storage.request(
        "complete " + url(),
        () ->
            client.completeMultipartUpload(
                complete ->
                    complete
                        .bucket(bucket)
                        .key(key)
                        .uploadId(id)
                        .multipartUpload(parts -> parts.parts(uploaded))));
    uploadId = null;
  }

  /** Discards the parts unless they were committed. */
  @Override
  public void close() {
    String id = uploadId;
    if (id != null) {
      uploadId = null;
      try {
        client.abortMultipartUpload(abort -> abort.bucket(bucket).key(key).uploadId(id));
      } catch (SdkException e) {
        LOG.warn(
            "Cannot abort an upload to {}: {}; a lifecycle rule of the bucket can delete its parts",
            url(),
            e.getMessage());
      }
    }
  }
}

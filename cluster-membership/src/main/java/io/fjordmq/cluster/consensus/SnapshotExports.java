package io.fjordmq.cluster.consensus;

import com.alipay.sofa.jraft.rpc.RpcContext;
import com.alipay.sofa.jraft.rpc.RpcProcessor;
import com.alipay.sofa.jraft.rpc.RpcRequests.ErrorResponse;
import com.alipay.sofa.jraft.rpc.RpcRequests.GetFileRequest;
import com.alipay.sofa.jraft.rpc.RpcRequests.GetFileResponse;
import com.google.protobuf.ByteString;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The copies this node offers to replicas that are too far behind, and the handler that serves
 * them. Who fetches asks for the manifest (no file name) and then for the files, part by part; the
 * copy is made at the first of these.
 */
final class SnapshotExports implements RpcProcessor<GetFileRequest> {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotExports.class);

  /** File name that stands for the manifest. */
  static final String MANIFEST = "";

  private static final int FAILED = 1004; // RaftError.EINTERNAL: try again

  private final Map<Long, SnapshotExport> offered = new ConcurrentHashMap<>();
  private final AtomicLong lastId = new AtomicLong();

  /**
   * @param directory below which the copy is made
   */
  long offer(SnapshotExport.Exporter exporter, CheckpointRecord checkpoint, Path directory) {
    long id = lastId.incrementAndGet();
    offered.put(id, new SnapshotExport(exporter, checkpoint, directory.resolve(Long.toString(id))));
    return id;
  }

  void withdraw(long id) {
    SnapshotExport export = offered.remove(id);
    if (export != null) {
      export.close();
    }
  }

  @Override
  public String interest() {
    return GetFileRequest.class.getName();
  }

  @Override
  public void handleRequest(RpcContext context, GetFileRequest request) {
    try {
      SnapshotExport export = offered.get(request.getReaderId());
      if (export == null) {
        throw new IOException("copy " + request.getReaderId() + " is not offered any more");
      }
      context.sendResponse(answer(export, request));
    } catch (IOException | RuntimeException e) {
      LOG.warn("cannot serve a copy to {}: {}", context.getRemoteAddress(), e.toString());
      context.sendResponse(
          ErrorResponse.newBuilder().setErrorCode(FAILED).setErrorMsg(e.toString()).build());
    }
  }

  private static GetFileResponse answer(SnapshotExport export, GetFileRequest request)
      throws IOException {
    byte[] data =
        request.getFilename().equals(MANIFEST)
            ? export.manifest().encode()
            : export.read(
                request.getFilename(), request.getOffset(), Math.toIntExact(request.getCount()));
    return GetFileResponse.newBuilder()
        .setEof(data.length < request.getCount())
        .setData(ByteString.copyFrom(data))
        .build();
  }
}

/**
 * Backups in Amazon S3 and compatible services. {@link io.fjordmq.s3.S3} opens them with the AWS
 * SDK, which only this module uses.
 */
@NullMarked
package io.fjordmq.s3;

import org.jspecify.annotations.NullMarked;

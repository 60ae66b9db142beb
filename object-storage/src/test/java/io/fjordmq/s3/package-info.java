@NullMarked
package io.fjordmq.s3;

import org.jspecify.annotations.NullMarked;

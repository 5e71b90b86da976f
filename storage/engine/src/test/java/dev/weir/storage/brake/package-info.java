/** Tests of the brake on mass removal. */
@NullMarked
package dev.weir.storage.brake;

import org.jspecify.annotations.NullMarked;

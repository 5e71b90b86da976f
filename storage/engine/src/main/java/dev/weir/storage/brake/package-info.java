/**
 * The brake on mass removal: what would remove many hashes at once for another reason than their age waits for an
 * operator.
 */
@NullMarked
package dev.weir.storage.brake;

import org.jspecify.annotations.NullMarked;

package dev.weir.hash.html.css;

/**
 * A CSS length.
 *
 * @param value pixels or percent
 * @param percent whether the value is a percentage of the parent's size
 */
public record Length(float value, boolean percent) {}

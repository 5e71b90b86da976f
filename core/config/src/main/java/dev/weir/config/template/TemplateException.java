package dev.weir.config.template;

/** Thrown when an expression or a tag is malformed or cannot be evaluated. */
final class TemplateException extends Exception {
    private static final long serialVersionUID = 1;

    private final int offset;

    /**
     * Creates an error at a place.
     *
     * @param offset the offset of the error in the text
     */
    TemplateException(int offset, String message) {
        super(message);
        this.offset = offset;
    }

    int offset() {
        return offset;
    }
}

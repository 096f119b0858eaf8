"""What theory says about your numbers: bounds, dimensions, honest error bars."""

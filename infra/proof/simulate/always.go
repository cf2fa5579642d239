package simulate

// always is how many seeds are tried with each test; nights have more (make simulate).
const always = 3
